import { type SlicedWork, sliceMs } from '@millrace/core';
import type { Clock, Timers } from './clock.ts';

interface TurnsPorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'soon'>;
}

/**
 * Shares the event loop between runs and requests. The runs of one turn of the event loop together have one slice of
 * time; those that come later wait for the next turn, in order.
 */
export class Turns {
  readonly #ports: TurnsPorts;
  readonly #waiting: (() => void)[] = [];
  /** When the current turn began to work; null before its first work. */
  #began: number | null = null;

  constructor(ports: TurnsPorts) {
    this.#ports = ports;
  }

  /** True when work should continue in the next turn. */
  get isOver(): boolean {
    return this.#began !== null && this.#ports.clock.monotonic() - this.#began > sliceMs;
  }

  /** Does work now if the turn has time left, otherwise in a later turn. */
  take(work: () => void): void {
    if (this.#waiting.length > 0 || this.isOver) this.later(work);
    else {
      this.begin();
      work();
    }
  }

  /**
   * Does sliced work in as many turns as it needs.
   * @param perform does one slice
   */
  finish<Result>(work: SlicedWork<Result>, perform: <T>(slice: () => T) => T = (slice) => slice()): Promise<Result> {
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        try {
          const { done, value } = perform(() => {
            let next = work.next();
            while (next.done !== true && !this.isOver) next = work.next();
            return next;
          });
          if (done === true) resolve(value);
          else this.later(goOn);
        } catch (error) {
          reject(error);
        }
      };
      this.take(goOn);
    });
  }

  /** Does work in a later turn. */
  later(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length === 1) this.#ports.timers.soon(() => this.#next());
  }

  /** Notes that work begins in this turn. */
  begin(): void {
    if (this.#began !== null) return;
    this.#began = this.#ports.clock.monotonic();
    // Work that arrives in the same turn shares its slice.
    this.#ports.timers.soon(() => {
      this.#began = null;
    });
  }

  #next(): void {
    this.#began = null;
    // Work that arrives meanwhile waits for the turn after this one.
    for (const work of this.#waiting.splice(0)) this.take(work);
  }
}
