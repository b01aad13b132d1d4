import { position, type RunFinished, type RunState } from '@millrace/core';
import type { ClaimedRun } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';

type LoggedRun = Pick<ClaimedRun, 'id' | 'workflowSlug'>;

/** Logs the stored end of a failed run. Its message is omitted, because it may contain data of the run. */
export function logFailure(log: RunnerPorts['log'], run: LoggedRun, { failure, nodeId }: RunFinished): void {
  log.warn({ ...namesOf(run, nodeId), code: failure?.code }, 'execution failed');
}

/** Logs that a run continues after its process crashed. */
export function logRecovery(
  log: RunnerPorts['log'],
  run: LoggedRun & Pick<ClaimedRun, 'crashCount'>,
  state: RunState,
): void {
  const { crashCount } = run;
  log.warn({ ...namesOf(run, position(state).nodeId), crashCount }, 'execution continues after a crash');
}

function namesOf({ id: executionId, workflowSlug: workflow }: LoggedRun, nodeId: string | null) {
  return { executionId, workflow, ...(nodeId !== null && { nodeId }) };
}
