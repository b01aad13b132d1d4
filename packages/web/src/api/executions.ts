import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type Execution = Schemas['Execution'];
export type ExecutionDetail = Schemas['ExecutionDetail'];
export type ExecutionLog = Schemas['ExecutionLog'];
export type ExecutionStatus = Execution['status'];

/** Which executions a list shows. */
export interface ExecutionFilter {
  readonly workflow_slug?: string;
  readonly status?: ExecutionStatus;
  /** A text in the payload, the output or an error. */
  readonly q?: string;
  readonly limit: number;
  readonly offset: number;
}

/** One page of executions, newest first. */
export function executionsQuery(filter: ExecutionFilter) {
  return queryOptions({
    queryKey: ['executions', 'list', filter],
    queryFn: () => answerOf(client.GET('/api/v1/executions/', { params: { query: { ...filter } } })),
    // Other executions start all the time, and no event reports those of all workflows.
    refetchInterval: 5000,
    placeholderData: (previous) => previous,
  });
}

/** An execution with the logs of its steps. */
export function executionQuery(id: string) {
  return queryOptions({
    queryKey: ['executions', 'detail', id],
    queryFn: () =>
      answerOf(client.GET('/api/v1/executions/{execution_id}/', { params: { path: { execution_id: id } } })),
  });
}

/** Starts an execution of the newest version of a workflow. */
export function execute(slug: string, payload?: Schemas['Json']): Promise<{ readonly execution_id: string }> {
  return answerOf(
    client.POST('/api/v1/workflows/{slug}/execute/', {
      params: { path: { slug } },
      body: { version: 'draft', ...(payload !== undefined && { payload }) },
    }),
  );
}

/** Requests the end of an execution. */
export async function cancelExecution(id: string): Promise<void> {
  await answerOf(client.POST('/api/v1/executions/{execution_id}/cancel/', { params: { path: { execution_id: id } } }));
}

/** Continues a failed execution from the failed step. */
export async function retryExecution(id: string): Promise<void> {
  const params = { path: { execution_id: id } };
  await answerOf(client.POST('/api/v1/executions/{execution_id}/retry/', { params, body: {} }));
}
