import { presentValidation, validation as validationBody } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Validation } from '../../../services/validation/validation.ts';
import { addRoute } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface ValidationRoutes {
  readonly validation: Validation;
  readonly access: WorkflowAccess;
}

/** The endpoint that validates a workflow without running it. */
export function addValidation(app: FastifyInstance, { validation, access }: ValidationRoutes): void {
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/workflows/:slug/validate/',
    operationId: 'validateWorkflow',
    summary: 'Validates a workflow without running it',
    tag: 'Workflows',
    access: 'reader',
    success: { status: 200, schema: validationBody },
    load: access.forReading,
    handle: async ({ caller, loaded }) => presentValidation(await validation.check(caller.user, loaded)),
  });
}
