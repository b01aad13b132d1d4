import { Problem, type RunFinished } from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';

/** Why a run cannot go on, and where its stored journal ends. */
export interface Breakdown {
  readonly error: unknown;
  readonly afterSeq: number;
  readonly cancelRequested: boolean;
}

/** Whether an error says that the database cannot be used now: then another try may succeed. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store_unavailable';
}

/** The end of a run that cannot go on: of one that was asked to stop, that it did. */
export function endOfBroken(
  { clock, log }: Pick<RunnerPorts, 'clock' | 'log'>,
  id: string,
  { error, cancelRequested }: Breakdown,
): RunFinished {
  const end = { kind: 'run_finished', at: clock.now(), output: null, nodeId: null } as const;
  if (cancelRequested) {
    const failure = { code: 'run_cancelled', message: 'The execution was cancelled.' } as const;
    return { ...end, status: 'cancelled', failure };
  }
  if (error instanceof Problem && error.code !== 'data_damaged') {
    return { ...end, status: 'failed', failure: { code: 'run_invalid', message: error.message } };
  }
  log.error({ err: error, executionId: id }, 'a run cannot go on');
  const message =
    "The execution cannot go on: it is damaged, or too new for this service. The service's log has the details.";
  return { ...end, status: 'failed', failure: { code: 'run_invalid', message } };
}
