import type { Outside, RecordedAttempt } from '../runner/ports.ts';
import type { RecordingStore } from '../store/recordings.ts';
import { recordedOutside } from './recorder.ts';
import { Replayer } from './replayer.ts';

/** The outside of the attempts of runs that are recorded, or that get recorded answers. */
export function createRecordedRuns(store: RecordingStore): (outside: Outside, attempt: RecordedAttempt) => Outside {
  const replayer = new Replayer(store);
  return (outside, attempt) =>
    attempt.recording.isReplayed ? replayer.outsideOf(outside, attempt) : recordedOutside(store, outside, attempt);
}
