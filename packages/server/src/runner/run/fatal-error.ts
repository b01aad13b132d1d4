import { incidentFailure, Problem, type RunFinished, type RunIncident } from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';

/** An error after which a run cannot continue, and where its stored journal ends. */
export interface FatalError {
  readonly error: unknown;
  readonly afterSeq: number;
  readonly cancelRequested: boolean;
}

/** The run has crashed or stalled the process while it was resumed, so it is not resumed again. */
export class QuarantinedRun extends Error {
  readonly incident: RunIncident;

  constructor(incident: RunIncident) {
    super('the execution has crashed or stalled the service too often');
    this.incident = incident;
  }
}

/** True if the database cannot be used at the moment: another attempt may succeed. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store_unavailable';
}

/** The end of a run that cannot continue: cancelled if that was requested, else failed. */
export function endAfter(
  { clock, log }: Pick<RunnerPorts, 'clock' | 'log'>,
  id: string,
  { error, cancelRequested }: FatalError,
): RunFinished {
  const end = { kind: 'run_finished', at: clock.now(), output: null, nodeId: null } as const;
  if (cancelRequested) {
    const failure = { code: 'run_cancelled', message: 'The execution was cancelled.' } as const;
    return { ...end, status: 'cancelled', failure };
  }
  if (error instanceof QuarantinedRun) return { ...end, status: 'failed', ...incidentFailure(error.incident, null) };
  if (error instanceof Problem && error.code !== 'data_damaged') {
    const code = error.code === 'invalid_workflow' ? error.code : 'run_invalid';
    return { ...end, status: 'failed', failure: { code, message: error.message } };
  }
  log.error({ err: error, executionId: id }, 'an execution cannot continue');
  const message =
    "The execution cannot continue: its data is damaged, or of a newer version of the service. See the service's log.";
  return { ...end, status: 'failed', failure: { code: 'run_invalid', message } };
}
