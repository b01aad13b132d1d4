import { Problem } from '@millrace/core';
import { writeFailure } from './failures.ts';

/**
 * Milliseconds for which a failed write counts, even if others succeed: on a full disk small writes still fit into the
 * last pages. Monitoring asks more often than that.
 */
const failureMs = 10_000;

/** Whether writes fail at the moment, for `/health/`. */
export class WriteHealth {
  readonly #monotonic: () => number;
  #failure: { readonly problem: Problem; readonly at: number } | null = null;

  /** @param monotonic in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** A transaction failed with this error, so that nothing of it was stored. */
  failed(error: unknown): void {
    const problem = writeFailure(error);
    if (problem instanceof Problem) this.#failure = { problem, at: this.#monotonic() };
  }

  succeeded(): void {
    if (this.#failure !== null && !this.#isRecent(this.#failure)) this.#failure = null;
  }

  /** Why writes fail, if one has failed lately. */
  get problem(): Problem | null {
    return this.#failure !== null && this.#isRecent(this.#failure) ? this.#failure.problem : null;
  }

  /** Whether nothing was written since a write failed, so that only a new one shows whether the cause is gone. */
  get isUnknown(): boolean {
    return this.#failure !== null && !this.#isRecent(this.#failure);
  }

  #isRecent({ at }: { readonly at: number }): boolean {
    return this.#monotonic() - at < failureMs;
  }
}
