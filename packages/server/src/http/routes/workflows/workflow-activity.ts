import { pageQuery, presentWorkflowActivity, workflowActivityList } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { WorkflowActivities } from '../../../services/workflows/workflow-activities.ts';
import { addRoute } from '../../plumbing/route.ts';

/** The endpoint of what workflows did lately. */
export function addWorkflowActivity(
  app: FastifyInstance,
  { workflowActivities }: { readonly workflowActivities: WorkflowActivities },
): void {
  addRoute(app, {
    method: 'GET',
    // Not below the workflows, where a slug could have this name.
    path: '/api/v1/workflow-activity/',
    operationId: 'listWorkflowActivity',
    summary: "Lists what the caller's workflows did in the last 24 hours, in the order of the workflows",
    tag: 'Workflows',
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: workflowActivityList },
    handle: async ({ caller, query }) => {
      const { items, total } = await workflowActivities.list(caller.user, query);
      return { items: items.map(presentWorkflowActivity), total };
    },
  });
}
