import type { Effects } from './effects.ts';

/**
 * The writes of one call. They run inside the transaction, and again if another call of the batch has thrown. A
 * rollback undoes only rows and `effects`. So any other change in memory must be harmless if its rows are undone: a
 * queue position that no run gets, or an unnecessary search for blocked runs.
 */
export type Work<T> = (effects: Effects) => T;

/** A unit without the type of its value. */
export interface Queued {
  /** False for a call that resolves as soon as it is committed. */
  readonly waitsForDisk: boolean;
  run(effects: Effects): void;
  /** Has no effect the second time. */
  settle(): void;
  fail(reason: unknown): void;
}

interface UnitParts<T> {
  readonly work: Work<T>;
  readonly waitsForDisk: boolean;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** A call that waits for the value of its writes. */
export class Unit<T> implements Queued {
  readonly #work: Work<T>;
  readonly #resolve: (value: T) => void;
  readonly waitsForDisk: boolean;
  readonly fail: (reason: unknown) => void;
  #value: T | undefined;

  constructor({ work, waitsForDisk, resolve, reject }: UnitParts<T>) {
    this.#work = work;
    this.#resolve = resolve;
    this.waitsForDisk = waitsForDisk;
    this.fail = reject;
  }

  run(effects: Effects): void {
    this.#value = this.#work(effects);
  }

  settle(): void {
    // Only called after a run that did not throw, so the value is a T, although it may be undefined.
    this.#resolve(this.#value as T);
  }
}
