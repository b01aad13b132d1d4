import type { Effects } from './effects.ts';

/** One call's writes: runs inside the transaction, perhaps twice, so it must keep nothing outside `effects`. */
export type Work<T> = (effects: Effects) => T;

/** A unit without the type of its value. */
export interface Queued {
  /** False for what is answered as soon as it is committed. */
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
