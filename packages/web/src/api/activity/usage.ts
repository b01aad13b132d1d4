import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type WorkflowUsage = Schemas['WorkflowUsage'];

/** Days in UTC; both belong to the period. */
export interface UsagePeriod {
  readonly since: string;
  readonly until: string;
}

/** What the models of a workflow used in a period. */
export function usageQuery(slug: string, period: UsagePeriod) {
  return queryOptions({
    queryKey: ['usage', slug, period],
    queryFn: () =>
      answerOf(client.GET('/api/v1/workflows/{slug}/usage/', { params: { path: { slug }, query: { ...period } } })),
    // Executions end all the time, and no event reports their usage.
    refetchInterval: 15_000,
  });
}
