import type { RecordedAttempt } from '../runner/ports.ts';
import type { RecordedStep } from '../store/recordings.ts';

/** An attempt, as the store identifies it. */
export function stepOf({ run, frame, nodeId, attempt }: RecordedAttempt): RecordedStep {
  return { executionId: run.id, workflowId: run.workflowId, epoch: run.epoch, frame, nodeId, attempt };
}
