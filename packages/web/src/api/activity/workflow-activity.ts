import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type WorkflowActivity = Schemas['WorkflowActivity'];

/** What the workflows did in the last 24 hours, in the order of the list of workflows. */
export function workflowActivityQuery(page: { readonly limit: number; readonly offset: number }) {
  return queryOptions({
    queryKey: ['workflow-activity', page],
    queryFn: () => answerOf(client.GET('/api/v1/workflow-activity/', { params: { query: { ...page } } })),
    // Executions start all the time, and no event reports those of all workflows.
    refetchInterval: 15_000,
  });
}
