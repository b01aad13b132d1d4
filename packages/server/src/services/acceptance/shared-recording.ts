import type { ClaimedRun, NewExecution } from '../../store/executions.ts';

type Starting = Pick<ClaimedRun, 'ownerId' | 'recording'>;

/**
 * Whether a run may not start one of another owner: a run with recorded answers starts none that reaches the outside, and
 * the answers are neither theirs to read nor to decide what their workflow stores.
 */
export function isSealedFrom({ ownerId, recording = null }: Starting, started: { readonly ownerId: number }): boolean {
  return recording?.isReplayed === true && started.ownerId !== ownerId;
}

/**
 * How a run takes part in the recording of the run that starts it. What the workflow of another owner exchanges is not
 * recorded, because it is not theirs to read.
 */
export function sharedRecording(
  { ownerId, recording = null }: Starting,
  started: { readonly ownerId: number },
): Pick<NewExecution, 'recording'> {
  if (recording === null || started.ownerId !== ownerId) return {};
  return { recording: { kind: 'shared', recording } };
}
