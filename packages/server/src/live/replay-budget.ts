import type { Clock } from '../ground/clock.ts';

/**
 * Missed events that a user gets at once. Writing one takes some 25 µs, so these take less than 0.1 s; a workflow keeps
 * 1,000.
 */
const maxReplayed = 3000;
/** And per second after that. */
const replayedPerSecond = 1000;

interface Spent {
  readonly events: number;
  readonly at: number;
}

/** Limits the missed events that each user gets: clients can ask for all that are kept again and again. */
export class ReplayBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By user. */
  readonly #spent = new Map<number, Spent>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether the user may get so many events now. If so, they count. */
  take(userId: number, events: number): boolean {
    const at = this.#clock.monotonic();
    const before = this.#spent.get(userId) ?? { events: 0, at };
    const left = Math.max(0, before.events - ((at - before.at) / 1000) * replayedPerSecond);
    if (left + events > maxReplayed) return false;
    this.#spent.set(userId, { events: left + events, at });
    return true;
  }
}
