import { type Plan, planWeight, type RunState, runWeight } from '@millrace/core';
import type { KeptRun } from '../store/executions.ts';

/** Bytes that are kept in all, as far as they can be estimated: what a thousand waiting runs may take is 50 MB. */
const maxBytes = 40_000_000;

/**
 * Milliseconds for which a run is kept. Beside a longer wait it is little to read a journal; and nobody claims those that
 * were cancelled or removed meanwhile.
 */
const keptForMs = 10 * 60_000;

/** By how much a run grows until it is weighed anew: that walks through all of it, so its journal's length is the measure. */
const growth = 1.25;
/** What a character of JSON takes at most, as a rule, that was put out since then: in lists of numbers. */
const characterBytes = 10;
/** What the number of one step takes that a retry has added to: an entry of a Map, with a text for its frame and node. */
const numberBytes = 200;

interface Kept {
  readonly run: KeptRun;
  readonly bytes: number;
  /** When it was parked. */
  readonly at: number;
}

/** What a run took when it was weighed. */
interface Weighed extends Pick<KeptRun, 'lastSeq'>, Pick<RunState, 'size'> {
  readonly bytes: number;
}

/** How much a run that was too large had put out, and when that was seen. */
interface TooLarge extends Pick<RunState, 'size'> {
  readonly at: number;
}

/**
 * What the journals of parked runs came to, so that the next claim of one need not read its journal. Nothing depends on it:
 * a run that is not here, or whose journal has gone on without this process, is read. Past the limit the one goes that was
 * parked longest ago.
 */
export class KeptRuns {
  /** In the order in which they were parked. */
  readonly #kept = new Map<string, Kept>();
  /** How many of them share a plan: it stays in memory as long as one of them does. */
  readonly #sharing = new Map<Plan, number>();
  /** Each of their claims makes a new state, which would be walked through up to the limit each time. */
  readonly #tooLarge = new Map<string, TooLarge>();
  readonly #weighed = new WeakMap<RunState, Weighed>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  /** About how many bytes all of them take. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): KeptRun | undefined {
    return this.#kept.get(id)?.run;
  }

  /** Keeps a run that has been parked at a moment of the monotonic clock. Whoever gives it does not change it any more. */
  keep(id: string, run: KeptRun, at: number): void {
    this.drop(id);
    const { size, plan } = run.state;
    const tooLarge = this.#tooLarge.get(id);
    if (tooLarge !== undefined && size < tooLarge.size * growth) return;
    this.#tooLarge.delete(id);
    const bytes = this.#weigh(run) + run.numbers.size * numberBytes;
    // It would have all others go for it.
    if (bytes > this.#maxBytes) {
      this.#tooLarge.set(id, { size, at });
      return;
    }
    this.#kept.set(id, { run, bytes, at });
    this.#bytes += bytes + this.#share(plan, 1);
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.drop(oldest);
    }
  }

  /** Forgets a run: it has an owner again, who changes its state. */
  drop(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.#bytes -= kept.bytes + this.#share(kept.run.state.plan, -1);
  }

  /** Forgets the runs that were parked long ago. */
  dropOld(now: number): void {
    const since = now - keptForMs;
    for (const [id, { at }] of this.#kept) {
      if (at > since) break;
      this.drop(id);
    }
    for (const [id, { at }] of this.#tooLarge) {
      if (at > since) break;
      this.#tooLarge.delete(id);
    }
  }

  #weigh({ state, lastSeq, trigger }: KeptRun): number {
    const { size } = state;
    const before = this.#weighed.get(state);
    if (before !== undefined && lastSeq < before.lastSeq * growth && size < before.size * growth)
      return before.bytes + (size - before.size) * characterBytes;
    const bytes = runWeight(state, trigger, this.#maxBytes);
    this.#weighed.set(state, { lastSeq, size, bytes });
    return bytes;
  }

  /** Counts who shares a plan; returns what it takes when it comes with this one, or goes with it. */
  #share(plan: Plan, more: 1 | -1): number {
    const before = this.#sharing.get(plan) ?? 0;
    const after = before + more;
    if (after === 0) this.#sharing.delete(plan);
    else this.#sharing.set(plan, after);
    return Math.min(before, after) === 0 ? planWeight(plan) : 0;
  }
}
