import { type Meter, type SlicedWork, StepError } from '@millrace/core';
import type { Turns } from '../../ground/turns.ts';
import type { Work, WorkRecord } from '../work-record.ts';

interface SliceParts {
  readonly turns: Turns;
  readonly work: WorkRecord;
  /** The attempt that the work belongs to. */
  readonly current: Work;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** Does work until it ends, or until it has taken a slice of time; the rest follows in later turns of the event loop. */
export function inSlices<Result>(work: SlicedWork<Result>, parts: SliceParts): Result | Promise<Result> {
  const { turns, work: record, current, meter, signal } = parts;
  const first = firstSlice(work, parts);
  if (first.done === true) return first.value;
  return new Promise((resolve, reject) => {
    function goOn(): void {
      try {
        // The attempt has ended by its time limit, or with its run.
        if (signal.aborted) throw new StepError('step_stopped', 'The step was stopped.');
        const next = record.perform(current, () => slice(work, meter));
        if (next.done === true) {
          record.continue(current);
          resolve(next.value);
        } else turns.later(goOn);
      } catch (error) {
        reject(error);
      }
    }
    turns.later(goOn);
  });
}

/** Most often the attempt is recorded. After an operation of another part of the service, nothing is. */
function firstSlice<Result>(
  work: SlicedWork<Result>,
  { work: record, current, meter }: SliceParts,
): IteratorResult<undefined, Result> {
  if (record.isRecording) return slice(work, meter);
  const first = record.perform(current, () => slice(work, meter));
  record.continue(current);
  return first;
}

function slice<Result>(work: SlicedWork<Result>, meter: Meter): IteratorResult<undefined, Result> {
  meter.beginSlice();
  let next = work.next();
  while (next.done !== true && !meter.isSliceOver) next = work.next();
  // Also at the end of the work: a component may then wait, for example for the next page.
  meter.endSlice();
  return next;
}
