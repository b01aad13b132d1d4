import type { Clock } from '../../ground/clock.ts';

/** Rates tracked at once; beyond it the first one is dropped and starts again. */
const maxWatched = 10_000;
const minuteMs = 60_000;

/**
 * Limits requests per minute: after a pause a full minute's requests are allowed at once, then as many as the rate
 * allows. Stores one number for each id: the time at which all allowed requests would have come at an even rate.
 */
export class Rates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #dueAt = new Map<number, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a request. Null if it is allowed; else the seconds until the next one is. */
  take(id: number, perMinute: number): number | null {
    const now = this.#clock.monotonic();
    const dueAt = Math.max(this.#dueAt.get(id) ?? now, now) + minuteMs / perMinute;
    const ahead = dueAt - now - minuteMs;
    // Fractions of a millisecond are rounding errors.
    if (ahead >= 1) return Math.ceil(ahead / 1000);
    const oldest = this.#dueAt.keys().next().value;
    if (this.#dueAt.size >= maxWatched && !this.#dueAt.has(id) && oldest !== undefined) this.#dueAt.delete(oldest);
    this.#dueAt.set(id, dueAt);
    return null;
  }
}
