import type { Clock } from '../../ground/clock.ts';

/** Milliseconds by which the wall clock must jump to count as set: rounding and slow corrections change it by less. */
const minJumpMs = 1000;

/**
 * Detects that the wall clock was set, by comparing it with the monotonic clock. The time limit of a run is about real
 * time, so its deadlines move with the wall clock.
 */
export class ClockDrift {
  readonly #clock: Clock;
  /** The difference between the wall clock and the monotonic clock at the last check. */
  #aheadMs: number;
  #totalMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#aheadMs = aheadOf(clock);
  }

  /** By how much the wall clock was set in total; negative if it was set back. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** By how much it was set forward in total; 0 if it was set back. */
  get forwardMs(): number {
    return Math.max(0, this.#totalMs);
  }

  /** By how much the wall clock was set since the last check; 0 if it was not. */
  check(): number {
    const byMs = Math.round(aheadOf(this.#clock) - this.#aheadMs);
    if (Math.abs(byMs) < minJumpMs) return 0;
    this.#aheadMs += byMs;
    this.#totalMs += byMs;
    return byMs;
  }
}

function aheadOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}
