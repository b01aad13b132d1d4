import type { Clock } from '../ground/clock.ts';

/** Milliseconds by which the wall clock must jump to count as set: rounding and slow corrections change it by less. */
const minJumpMs = 1000;

/**
 * Detects that the wall clock was set, by comparing it with the monotonic clock. The stored times of durations are
 * times of the wall clock, so they move with it. One for the whole process: the store and all runs see a change at the
 * same point in the order of writes.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #wasSet: (byMs: number) => void;
  /** The difference between the wall clock and the monotonic clock at the last check. */
  #aheadMs: number;
  #totalMs = 0;

  /** @param wasSet called with each change, before `check` returns; negative if the clock was set back */
  constructor(clock: Clock, wasSet: (byMs: number) => void) {
    this.#clock = clock;
    this.#wasSet = wasSet;
    this.#aheadMs = clock.now() - clock.monotonic();
  }

  /** By how much the wall clock was set in total; negative if it was set back. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** To be called before times of the wall clock are compared with stored ones. */
  check(): void {
    const byMs = Math.round(this.#clock.now() - this.#clock.monotonic() - this.#aheadMs);
    if (Math.abs(byMs) < minJumpMs) return;
    this.#aheadMs += byMs;
    this.#totalMs += byMs;
    this.#wasSet(byMs);
  }
}
