import type { Clock } from '../../ground/clock.ts';

/** Whose rate is watched at once; past it the one that came first begins anew. */
const maxWatched = 10_000;
const minuteMs = 60_000;

/**
 * Counts what somebody asks for against so many a minute: that many at once when they were quiet, then as fast as the
 * rate. Keeps one number for each: when all that was taken would have been due, had it come evenly.
 */
export class Rates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #dueAt = new Map<number, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes one. Null when it may go on; else the seconds until there is room again. */
  take(id: number, perMinute: number): number | null {
    const now = this.#clock.monotonic();
    const dueAt = Math.max(this.#dueAt.get(id) ?? now, now) + minuteMs / perMinute;
    const ahead = dueAt - now - minuteMs;
    // Fractions of a millisecond are rounding, not haste.
    if (ahead >= 1) return Math.ceil(ahead / 1000);
    const oldest = this.#dueAt.keys().next().value;
    if (this.#dueAt.size >= maxWatched && !this.#dueAt.has(id) && oldest !== undefined) this.#dueAt.delete(oldest);
    this.#dueAt.set(id, dueAt);
    return null;
  }
}
