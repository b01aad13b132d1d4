import {
  presentRejectedPublication,
  presentWorkflow,
  publishError,
  publishRequest,
  workflow,
} from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Publishing } from '../../../services/publishing/publishing.ts';
import { addRoute, Rejection } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface PublishingRoutes {
  readonly publishing: Publishing;
  readonly access: WorkflowAccess;
}

const tag = 'Workflows';
const item = '/api/v1/workflows/:slug/';

/** The endpoints that set the version that triggers run. */
export function addPublishing(app: FastifyInstance, { publishing, access }: PublishingRoutes): void {
  addRoute(app, {
    method: 'POST',
    path: `${item}publish/`,
    operationId: 'publishWorkflow',
    summary: 'Publishes a version: triggers run it until another one is published',
    tag,
    access: 'editor',
    body: publishRequest.optional(),
    examples: [{ note: 'Also greets in French.' }],
    success: { status: 200, schema: workflow },
    rejections: {
      422: publishError.describe('The version has errors, or the body is invalid.'),
    },
    load: access.forWriting,
    handle: async ({ caller, loaded, body }) => {
      const { version = null, note = null, force = false } = body ?? {};
      const outcome = await publishing.publish(caller.user, loaded, { version, note, force });
      if (outcome.kind === 'rejected') return new Rejection(422, presentRejectedPublication(outcome));
      return presentWorkflow(outcome.workflow);
    },
  });
  addRoute(app, {
    method: 'POST',
    path: `${item}unpublish/`,
    operationId: 'unpublishWorkflow',
    summary: 'Makes a workflow live again: triggers run its newest version',
    tag,
    access: 'editor',
    success: { status: 200, schema: workflow },
    load: access.forWriting,
    handle: async ({ loaded }) => presentWorkflow(await publishing.unpublish(loaded)),
  });
}
