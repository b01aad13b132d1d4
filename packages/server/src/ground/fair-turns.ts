import { Problem } from '@millrace/core';
import { timesWhatIsLeft } from './owner-places.ts';

/** For whom work is done. */
export interface TurnSource {
  /** Sources with the same id share their turns: a user, or the client's network. */
  readonly id: string;
  /** Known sources are served before strangers. */
  readonly isKnown: boolean;
}

interface FairLimits {
  readonly atOnce: number;
  readonly waiting: number;
  /** What is said to those for whom there is no place in the queue. */
  readonly message: string;
}

interface Waiting {
  readonly source: TurnSource;
  /** Begins the work, or fails if the place in the queue went to somebody else. */
  settle(error: Problem | null): void;
}

/**
 * Limits concurrent and queued work that many sources ask for: a flood of it must not use all memory and threads. The
 * sources take turns, and one of them leaves places for others. A full queue has room for a known source, and for a
 * source with fewer places than another one, so that a flood does not keep others out.
 */
export class FairTurns {
  readonly #limits: FairLimits;
  /** The work in progress of each source. */
  readonly #held = new Map<string, number>();
  #working = 0;
  readonly #waiting: Waiting[] = [];
  /** When each source that waits was served last, as the number of its turn. */
  readonly #served = new Map<string, number>();
  #turn = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /**
   * @param gone aborted when nobody waits for the work any more: it leaves the queue
   * @throws Problem `overloaded`, also when it has left the queue
   */
  async take<T>(source: TurnSource, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    if (this.#admits(source)) this.#begin(source);
    else await this.#wait(source, gone);
    try {
      return await work();
    } finally {
      this.#end(source);
      // The turns are handed over, so that no later caller gets one first.
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        this.#begin(next.source);
        next.settle(null);
      }
    }
  }

  /** Whether a place is free, and the source does not hold its share. */
  #admits({ id }: TurnSource): boolean {
    const free = this.#limits.atOnce - this.#working;
    return free > 0 && (this.#held.get(id) ?? 0) < timesWhatIsLeft * free;
  }

  #begin({ id }: TurnSource): void {
    this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    this.#working += 1;
  }

  #end({ id }: TurnSource): void {
    const left = (this.#held.get(id) ?? 0) - 1;
    if (left <= 0) this.#held.delete(id);
    else this.#held.set(id, left);
    this.#working -= 1;
  }

  #wait(source: TurnSource, gone: AbortSignal | undefined): Promise<void> {
    if (gone?.aborted === true) return Promise.reject(this.#overloaded());
    if (this.#waiting.length >= this.#limits.waiting) {
      const loser = this.#loserTo(source);
      if (loser === undefined) return Promise.reject(this.#overloaded());
      this.#remove(loser);
      loser.settle(this.#overloaded());
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(waiting);
        reject(this.#overloaded());
      };
      const waiting: Waiting = {
        source,
        settle(error) {
          gone?.removeEventListener('abort', leave);
          if (error === null) resolve();
          else reject(error);
        },
      };
      gone?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** Those who were served longest ago, or never, come first, so that one source with many requests gets only its share. */
  #next(): Waiting | undefined {
    const admitted = this.#waiting.filter(({ source }) => this.#admits(source));
    const known = admitted.filter(({ source }) => source.isKnown);
    const servedAt = ({ source }: Waiting): number => this.#served.get(source.id) ?? 0;
    const [first, ...others] = known.length > 0 ? known : admitted;
    if (first === undefined) return undefined;
    const next = others.reduce((least, other) => (servedAt(other) < servedAt(least) ? other : least), first);
    this.#turn += 1;
    this.#served.set(next.source.id, this.#turn);
    this.#remove(next);
    return next;
  }

  #remove(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    if (this.#placesOf(waiting.source) === 0) this.#served.delete(waiting.source.id);
  }

  /**
   * Who loses the place to a newcomer: the newest request of the source with most places, of strangers if there are any.
   * Undefined if nobody does.
   */
  #loserTo(newcomer: TurnSource): Waiting | undefined {
    const strangers = this.#waiting.filter(({ source }) => !source.isKnown);
    if (newcomer.isKnown && strangers.length > 0) return this.#newestOfMost(strangers, 0);
    return this.#newestOfMost(newcomer.isKnown ? this.#waiting : strangers, this.#placesOf(newcomer) + 1);
  }

  /** The newest request of the source with most places, if it has more than so many. */
  #newestOfMost(waiting: readonly Waiting[], places: number): Waiting | undefined {
    const most = Math.max(0, ...waiting.map(({ source }) => this.#placesOf(source)));
    return most <= places ? undefined : waiting.findLast(({ source }) => this.#placesOf(source) === most);
  }

  #placesOf({ id }: TurnSource): number {
    return this.#waiting.filter(({ source }) => source.id === id).length;
  }

  #overloaded(): Problem {
    return new Problem('overloaded', this.#limits.message);
  }
}
