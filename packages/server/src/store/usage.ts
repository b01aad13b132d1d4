import type { ModelCaller, ModelUsage, Spent } from '@millrace/core';

/** What the models of workflows used. It is counted when a step ends, and remains when executions are deleted. */
export interface UsageStore {
  /** By day, oldest first, and by node and model, the most expensive first. */
  ofWorkflow(period: UsagePeriod): Promise<WorkflowUsage>;
  /** What a workflow used from a day on. */
  spentSince(period: Pick<UsagePeriod, 'workflowId' | 'since'>): Promise<Spent>;
}

/** Days in UTC, such as `2026-01-31`. */
export interface UsagePeriod {
  readonly workflowId: number;
  readonly since: string;
  /** The last day. */
  readonly until: string;
}

export interface WorkflowUsage {
  readonly days: readonly (ModelUsage & { readonly day: string })[];
  /** `by` is null for the nodes and models of a day beyond those that are counted separately. */
  readonly callers: readonly (ModelUsage & { readonly by: ModelCaller | null })[];
}
