import { presentUsage, usageQuery, workflowUsage } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { ModelUsages } from '../../../services/workflows/model-usage.ts';
import { addRoute } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface UsageRoutes {
  readonly modelUsages: ModelUsages;
  readonly access: WorkflowAccess;
}

/** The endpoint of what the models of a workflow used. */
export function addUsage(app: FastifyInstance, { modelUsages, access }: UsageRoutes): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/workflows/:slug/usage/',
    operationId: 'getWorkflowUsage',
    summary: 'Shows what the models of a workflow used in a period, by day and by node and model',
    tag: 'Workflows',
    access: 'member',
    query: usageQuery,
    success: { status: 200, schema: workflowUsage },
    load: access.forMembers,
    handle: async ({ loaded, query }) => presentUsage(await modelUsages.of(loaded, query)),
  });
}
