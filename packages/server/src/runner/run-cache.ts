import { type Plan, planWeight, type RunState, runWeight } from '@millrace/core';
import type { CachedRun } from '../store/executions.ts';

/** Estimated size of the cache in bytes: a thousand waiting runs may take 50 MB in total. */
const maxBytes = 40_000_000;

/**
 * Milliseconds for which a run is cached. After a longer wait, reading a journal costs little in comparison; and runs that
 * were cancelled or removed meanwhile are never claimed.
 */
const cachedForMs = 10 * 60_000;

/** By how much a run grows before it is measured again, which walks through all of it. */
const growth = 1.25;
/** Bytes per unit of `size` since then: the usual maximum, in lists of short texts (four characters take 32 bytes). */
const unitBytes = 8;
/** Bytes for the attempt number of one retried step: an entry of a Map, with a text for its frame and node. */
const numberBytes = 200;

interface Cached {
  readonly run: CachedRun;
  readonly bytes: number;
  /** When it was parked. */
  readonly at: number;
}

/** The size of a run when it was measured. */
interface Weighed extends Pick<CachedRun, 'lastSeq'>, Pick<RunState, 'size'> {
  readonly bytes: number;
}

/** The size of the outputs of a run that is too large, and when it was measured. */
interface TooLarge extends Pick<RunState, 'size'> {
  readonly at: number;
}

/**
 * Caches the state of parked runs, so that the next claim of one need not read its journal. It is only an optimisation:
 * if a run is not cached, or another process has continued it, its journal is read. Beyond the limit, the run that was
 * parked longest ago is dropped.
 */
export class RunCache {
  /** In the order in which they were parked. */
  readonly #cached = new Map<string, Cached>();
  /** How many cached runs share a plan: it stays in memory as long as one of them does. */
  readonly #sharing = new Map<Plan, number>();
  /** Each claim of such a run builds a new state, which would be measured each time. */
  readonly #tooLarge = new Map<string, TooLarge>();
  readonly #weighed = new WeakMap<RunState, Weighed>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  /** The estimated bytes of all cached runs. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): CachedRun | undefined {
    return this.#cached.get(id)?.run;
  }

  /** Caches a run that was parked at this time of the monotonic clock. The caller must not change it afterwards. */
  keep(id: string, run: CachedRun, at: number): void {
    this.drop(id);
    const { size, plan } = run.state;
    const tooLarge = this.#tooLarge.get(id);
    if (tooLarge !== undefined && size < tooLarge.size * growth) return;
    this.#tooLarge.delete(id);
    const bytes = this.#weigh(run) + run.numbers.size * numberBytes;
    // It would displace all others.
    if (bytes > this.#maxBytes) {
      this.#tooLarge.set(id, { size, at });
      return;
    }
    this.#cached.set(id, { run, bytes, at });
    this.#bytes += bytes + this.#share(plan, 1);
    for (const [oldest] of this.#cached) {
      if (this.#bytes <= this.#maxBytes) return;
      this.drop(oldest);
    }
  }

  /** Drops a run: it has an owner again, which changes its state. */
  drop(id: string): void {
    const cached = this.#cached.get(id);
    if (cached === undefined) return;
    this.#cached.delete(id);
    this.#bytes -= cached.bytes + this.#share(cached.run.state.plan, -1);
  }

  /** Drops the runs that were parked long ago. */
  dropOld(now: number): void {
    const since = now - cachedForMs;
    for (const [id, { at }] of this.#cached) {
      if (at > since) break;
      this.drop(id);
    }
    for (const [id, { at }] of this.#tooLarge) {
      if (at > since) break;
      this.#tooLarge.delete(id);
    }
  }

  #weigh({ state, lastSeq, trigger, variables }: CachedRun): number {
    const { size } = state;
    const before = this.#weighed.get(state);
    if (before !== undefined && lastSeq < before.lastSeq * growth && size < before.size * growth)
      return before.bytes + (size - before.size) * unitBytes;
    const bytes = runWeight(state, [trigger, variables], this.#maxBytes);
    this.#weighed.set(state, { lastSeq, size, bytes });
    return bytes;
  }

  /** Counts the runs that share a plan; returns the plan's size if the first run adds it or the last one drops it. */
  #share(plan: Plan, more: 1 | -1): number {
    const before = this.#sharing.get(plan) ?? 0;
    const after = before + more;
    if (after === 0) this.#sharing.delete(plan);
    else this.#sharing.set(plan, after);
    return Math.min(before, after) === 0 ? planWeight(plan) : 0;
  }
}
