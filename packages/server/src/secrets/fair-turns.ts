import { Problem } from '@millrace/core';

/** For whom a password is hashed. */
export interface HashSource {
  /** Sources with the same id share their turns: the client's network, for example. */
  readonly id: string;
  /** Known sources are served before strangers. */
  readonly isKnown: boolean;
}

/** Concurrent hashes: two leave threads of Node's pool of four for files and host names, and use 64 MiB. */
const maxAtOnce = 2;
/** Queued hashes: they wait at most two seconds. */
const maxWaiting = 20;

interface Waiting {
  readonly source: HashSource;
  /** Begins the work, or fails if the place in the queue went to somebody else. */
  settle(error: Problem | null): void;
}

/**
 * Limits concurrent and queued hashes: a flood of logins must not use all memory and threads. A full queue has room for
 * a known source, and for a source with fewer places than another one, so that a flood does not keep others out.
 */
export class FairTurns {
  #working = 0;
  readonly #waiting: Waiting[] = [];
  /** Who was served last: others come first, so that one source with many requests gets only its share. */
  #lastServed: string | null = null;

  /** @throws Problem `overloaded` */
  async take<T>(source: HashSource, work: () => Promise<T>): Promise<T> {
    if (this.#working >= maxAtOnce) await this.#wait(source);
    else this.#working += 1;
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#working -= 1;
      // The turn is handed over, so that no later caller gets it first.
      else next.settle(null);
    }
  }

  #wait(source: HashSource): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      const loser = this.#loserTo(source);
      if (loser === undefined) throw overloaded();
      this.#waiting.splice(this.#waiting.indexOf(loser), 1);
      loser.settle(overloaded());
    }
    return new Promise((resolve, reject) => {
      const settle = (error: Problem | null): void => (error === null ? resolve() : reject(error));
      this.#waiting.push({ source, settle });
    });
  }

  #next(): Waiting | undefined {
    const known = this.#waiting.filter(({ source }) => source.isKnown);
    const first = known.length > 0 ? known : this.#waiting;
    const next = first.find(({ source }) => source.id !== this.#lastServed) ?? first[0];
    if (next === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#lastServed = next.source.id;
    return next;
  }

  /**
   * Who loses the place to a newcomer: the newest request of the source with most places, of strangers if there are any.
   * Undefined if nobody does.
   */
  #loserTo(newcomer: HashSource): Waiting | undefined {
    const strangers = this.#waiting.filter(({ source }) => !source.isKnown);
    if (newcomer.isKnown && strangers.length > 0) return this.#newestOfMost(strangers, 0);
    return this.#newestOfMost(newcomer.isKnown ? this.#waiting : strangers, this.#placesOf(newcomer) + 1);
  }

  /** The newest request of the source with most places, if it has more than so many. */
  #newestOfMost(waiting: readonly Waiting[], places: number): Waiting | undefined {
    const most = Math.max(0, ...waiting.map(({ source }) => this.#placesOf(source)));
    return most <= places ? undefined : waiting.findLast(({ source }) => this.#placesOf(source) === most);
  }

  #placesOf({ id }: HashSource): number {
    return this.#waiting.filter(({ source }) => source.id === id).length;
  }
}

function overloaded(): Problem {
  return new Problem('overloaded', 'Too many passwords are being checked. Try again in a moment.');
}
