import type { ClaimedRun, NewExecution } from '../../store/executions.ts';

/**
 * How a run takes part in the recording of the run that starts it. What the workflow of another owner exchanges is not
 * recorded, because it is not theirs to read; a run with recorded answers starts no run that reaches the outside.
 */
export function sharedRecording(
  { ownerId, recording = null }: Pick<ClaimedRun, 'ownerId' | 'recording'>,
  started: { readonly ownerId: number },
): Pick<NewExecution, 'recording'> {
  if (recording === null) return {};
  if (!recording.isReplayed && started.ownerId !== ownerId) return {};
  return { recording: { kind: 'shared', recording } };
}
