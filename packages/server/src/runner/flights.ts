import type { StepState } from '@millrace/core';
import type { CancelTimer } from '../clock.ts';

/** What an attempt that is being performed can be stopped with. */
export interface Flight {
  readonly abort: AbortController;
  readonly cancelTimer: CancelTimer;
}

/** The attempts of a run that are being performed. */
export class Flights {
  readonly #flights = new Map<StepState, Flight>();

  get size(): number {
    return this.#flights.size;
  }

  has(step: StepState): boolean {
    return this.#flights.has(step);
  }

  begin(step: StepState, flight: Flight): void {
    this.#flights.set(step, flight);
  }

  /** Ends an attempt; false when it has ended before. */
  end(step: StepState, flight: Flight): boolean {
    if (this.#flights.get(step) !== flight) return false;
    this.#flights.delete(step);
    stop(flight);
    return true;
  }

  abortAll(): void {
    for (const flight of this.#flights.values()) stop(flight);
    this.#flights.clear();
  }

  /** Aborts what is not among these any more: an iteration that a failure has ended, and nobody waits for. */
  abortAllBut(open: ReadonlySet<StepState>): void {
    for (const [step, flight] of this.#flights) {
      if (open.has(step)) continue;
      this.#flights.delete(step);
      stop(flight);
    }
  }
}

function stop({ abort, cancelTimer }: Flight): void {
  cancelTimer();
  abort.abort();
}
