import { queryOptions } from '@tanstack/react-query';
import {
  type Execution,
  type ExecutionDetail,
  type ExecutionLog,
  executionQuery,
  executionsQuery,
} from './executions.ts';
import { queryClient } from './query-client.ts';

/** A step in all executions of a workflow. */
export interface StepPlace {
  readonly nodeId: string;
  readonly frame: string;
}

/** So many earlier executions are searched: each is read with its values. */
const maxSearched = 10;

/** The last execution before another one in which the same step succeeded; null if none of the last ones has it. */
export function lastSuccessQuery(execution: ExecutionDetail | undefined, step: StepPlace) {
  return queryOptions({
    queryKey: ['executions', 'last-success', execution?.execution_id, step],
    queryFn: () => lastSuccess(execution, step),
    enabled: execution !== undefined,
  });
}

async function lastSuccess(execution: ExecutionDetail | undefined, step: StepPlace): Promise<Execution | null> {
  if (execution === undefined) return null;
  const { items } = await queryClient.fetchQuery(
    executionsQuery({
      workflow_slug: execution.workflow_slug,
      until: execution.accepted_at,
      limit: maxSearched,
      offset: 0,
    }),
  );
  const others = items.filter(({ execution_id: id }) => id !== execution.execution_id);
  // Those that completed first: of a run that failed, the step may be the one that failed.
  for (const candidate of others.toSorted((a, b) => rank(a) - rank(b))) {
    const detail = await queryClient.fetchQuery(executionQuery(candidate.execution_id));
    if (lastAttempt(detail, step)?.status === 'success') return candidate;
  }
  return null;
}

function rank({ status }: Execution): number {
  return status === 'completed' ? 0 : 1;
}

/** The last attempt of a step; undefined if the execution has not reached it. */
export function lastAttempt({ logs }: ExecutionDetail, { nodeId, frame }: StepPlace): ExecutionLog | undefined {
  return logs.findLast((log) => log.node_id === nodeId && log.frame === frame);
}
