import type { Effects } from './effects.ts';

/**
 * One call's writes. They run inside the transaction, and once more when another call of the batch has thrown. A rollback
 * undoes rows and `effects` only. So whatever else a call changes in memory must do no harm where its rows are undone: a
 * turn that no run gets, or a place where blocked runs are looked for in vain.
 */
export type Work<T> = (effects: Effects) => T;

/** A unit without the type of its value. */
export interface Queued {
  /** False for a call that is answered as soon as it is committed. */
  readonly waitsForDisk: boolean;
  run(effects: Effects): void;
  /** Does nothing the second time. */
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
    // Only called after a run that did not throw, so the value is a T, though it may be undefined.
    this.#resolve(this.#value as T);
  }
}
