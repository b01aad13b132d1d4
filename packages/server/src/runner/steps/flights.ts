import type { Instant, StepState } from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { Attempt } from './attempt.ts';

/** An attempt that is being performed, with the means to end it early. */
export interface Flight {
  readonly tried: Attempt;
  readonly startedAt: Instant;
  readonly abort: AbortController;
  readonly cancelTimer: CancelTimer;
}

/** The attempts of a run that are being performed. */
export class Flights {
  readonly #flights = new Map<StepState, Flight>();

  get size(): number {
    return this.#flights.size;
  }

  of(step: StepState): Flight | undefined {
    return this.#flights.get(step);
  }

  begin(flight: Flight): void {
    this.#flights.set(flight.tried.step, flight);
  }

  /** Ends an attempt; false when it has ended before. */
  end(flight: Flight): boolean {
    const { step } = flight.tried;
    if (this.#flights.get(step) !== flight) return false;
    this.#flights.delete(step);
    stop(flight);
    return true;
  }

  abortAll(): void {
    for (const flight of this.#flights.values()) stop(flight);
    this.#flights.clear();
  }

  /** Aborts and returns the attempts of steps that are not open any more, because their iteration has failed. */
  abortAllBut(open: ReadonlySet<StepState>): readonly Flight[] {
    const dropped = [...this.#flights.values()].filter(({ tried }) => !open.has(tried.step));
    for (const flight of dropped) this.end(flight);
    return dropped;
  }
}

function stop({ abort, cancelTimer }: Flight): void {
  cancelTimer();
  abort.abort();
}
