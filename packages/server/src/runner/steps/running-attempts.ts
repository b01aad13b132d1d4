import type { Instant, StepState } from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { Attempt } from './attempt.ts';

/** A running attempt, with the means to abort it. */
export interface RunningAttempt {
  readonly attempt: Attempt;
  readonly startedAt: Instant;
  readonly abort: AbortController;
  readonly cancelTimer: CancelTimer;
}

/** The running attempts of a run. */
export class RunningAttempts {
  readonly #running = new Map<StepState, RunningAttempt>();

  get size(): number {
    return this.#running.size;
  }

  of(step: StepState): RunningAttempt | undefined {
    return this.#running.get(step);
  }

  begin(started: RunningAttempt): void {
    this.#running.set(started.attempt.step, started);
  }

  /** Ends an attempt; false if it has ended before. */
  end(started: RunningAttempt): boolean {
    const { step } = started.attempt;
    if (this.#running.get(step) !== started) return false;
    this.#running.delete(step);
    stop(started);
    return true;
  }

  abortAll(): void {
    for (const started of this.#running.values()) stop(started);
    this.#running.clear();
  }

  /** Aborts and returns the attempts of steps that are no longer open, because their iteration has failed. */
  abortAllBut(open: ReadonlySet<StepState>): readonly RunningAttempt[] {
    const dropped = [...this.#running.values()].filter(({ attempt }) => !open.has(attempt.step));
    for (const started of dropped) this.end(started);
    return dropped;
  }
}

function stop({ abort, cancelTimer }: RunningAttempt): void {
  cancelTimer();
  abort.abort();
}
