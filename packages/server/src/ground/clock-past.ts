import type { Instant } from '@millrace/core';
import type { Clock } from './clock.ts';

/** A period in which the wall clock was not set. Both ends are on the monotonic clock. */
interface Period {
  readonly from: number;
  to: number;
  /** The difference between the wall clock and the monotonic clock. */
  readonly aheadMs: number;
}

/** Milliseconds by which the wall clock must jump to count as set. */
const minJumpMs = 1000;
/** Earlier periods count as part of the oldest one. */
const maxPeriods = 100;

/**
 * Compares the ages of stored times with durations, although the wall clock may be set. A change that is reverted before
 * the next call is not detected.
 */
export class ClockPast {
  readonly #clock: Clock;
  readonly #periods: Period[];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#periods = [{ from: Number.NEGATIVE_INFINITY, to: clock.monotonic(), aheadMs: this.#aheadMs }];
  }

  get #aheadMs(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }

  /**
   * The earliest time that the wall clock has shown in the last `ms` milliseconds: what was stored in that time is not
   * older. If the clock was not set in that time, everything else is.
   */
  ago(ms: number): Instant {
    const now = this.#clock.monotonic();
    this.#note(now);
    const since = now - ms;
    const shown = this.#periods.filter(({ to }) => to >= since);
    return Math.min(...shown.map(({ from, aheadMs }) => Math.max(from, since) + aheadMs));
  }

  #note(now: number): void {
    const last = this.#periods.at(-1);
    if (last === undefined) return;
    const { to: checkedAt, aheadMs } = last;
    last.to = now;
    if (Math.abs(this.#aheadMs - aheadMs) < minJumpMs) return;
    // It was set at an unknown moment since the last check.
    this.#periods.push({ from: checkedAt, to: now, aheadMs: this.#aheadMs });
    if (this.#periods.length > maxPeriods) this.#periods.splice(1, 1);
  }
}
