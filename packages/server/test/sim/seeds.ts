import type { Store } from '../../src/store/store.ts';
import { type Mishap, type MishapPlan, mishaps } from './crash-points.ts';
import type { Deed } from './deed.ts';
import { seededRandom } from './seeded-random.ts';
import { type SimReport, simulate, worldOf } from './simulation.ts';

/** A failing run of a seed, so that it can be looked at. */
export interface SeedFault {
  readonly seed: number;
  readonly plan: string;
  readonly faults: readonly string[];
  readonly sketch: string;
}

/** What came of many seeds. */
export interface SeedsReport {
  readonly seeds: number;
  readonly runs: number;
  readonly steps: number;
  /** `point: mishap`, with how often it happened. */
  readonly happened: ReadonlyMap<string, number>;
  readonly faults: readonly SeedFault[];
}

/** More failing seeds than anybody looks at. */
const mostFaults = 5;

/**
 * Runs each seed in peace and with mishaps that it draws. Every other one is also cancelled at a moment that it draws, in
 * peace or not; of the others a world whose runs fail is mended and the run retried, in peace and with mishaps.
 */
export async function runSeeds(store: Store, first: number, count: number): Promise<SeedsReport> {
  const tally = new Tally();
  for (let seed = first; seed < first + count && tally.faults.length < mostFaults; seed += 1) {
    const calm = await tally.run(store, { seed, plan: new Map() });
    const plan = planOf(seed, calm.calls.length);
    await tally.run(store, { seed, plan });
    if (seed % 2 === 0) await runRetried(tally, store, seed);
    else await runCancelled(tally, store, { seed, plan: seed % 4 === 1 ? plan : new Map(), tookMs: calm.tookMs });
  }
  return tally.report(count);
}

async function runCancelled(tally: Tally, store: Store, { seed, plan, tookMs }: OneRun & { tookMs: number }) {
  await tally.run(store, { seed, plan, deed: { kind: 'cancel', afterMs: momentOf(seed, tookMs) } });
}

async function runRetried(tally: Tally, store: Store, seed: number): Promise<void> {
  const deed = { kind: 'retry' } as const;
  const { calls } = await tally.run(store, { seed, plan: new Map(), deed });
  await tally.run(store, { seed, plan: planOf(seed, calls.length), deed });
}

/** Any moment of a run, and now and then one after its end. */
function momentOf(seed: number, tookMs: number): number {
  return Math.floor(seededRandom(seed ^ 0xcafe)() * (tookMs + 10));
}

/** Runs a seed once for each call of the store that it makes and each mishap, and with mishaps while it stops. */
export async function runEveryMishap(store: Store, seed: number, deed: Deed = { kind: 'none' }): Promise<SeedsReport> {
  const tally = new Tally();
  const { calls } = await tally.run(store, { seed, plan: new Map(), deed });
  for (const mishap of mishaps) {
    for (let call = 1; call <= calls.length; call += 1) {
      await tally.run(store, { seed, plan: new Map([[call, mishap]]), deed });
    }
    // Only a process that stops gives its runs back: that call comes soon after.
    for (let call = 4; call <= 8; call += 1) {
      const plan = new Map<number, Mishap>([
        [3, 'stops'],
        [call, mishap],
      ]);
      await tally.run(store, { seed, plan, deed });
    }
  }
  return tally.report(1);
}

/** One to three mishaps, at any of the calls that a run in peace makes; some of them one right after the other. */
function planOf(seed: number, calls: number): MishapPlan {
  const random = seededRandom(seed ^ 0xdead);
  const plan = new Map<number, Mishap>();
  const count = 1 + Math.floor(random() * 3);
  for (let number = 0, call = 0; number < count; number += 1) {
    call = number > 0 && random() < 0.5 ? call + 1 + Math.floor(random() * 2) : 1 + Math.floor(random() * calls);
    plan.set(call, mishaps[Math.floor(random() * mishaps.length)] ?? 'fails');
  }
  return plan;
}

class Tally {
  readonly faults: SeedFault[] = [];
  readonly #happened = new Map<string, number>();
  #runs = 0;
  #steps = 0;

  async run(store: Store, { seed, plan, deed = { kind: 'none' } }: OneRun): Promise<SimReport> {
    const report = await simulate(store, { world: worldOf(seed, deed), seed, plan, deed });
    this.#runs += 1;
    this.#steps += report.journal.length;
    for (const name of report.happened) this.#happened.set(name, (this.#happened.get(name) ?? 0) + 1);
    const { faults, sketch } = report;
    if (faults.length > 0) this.faults.push({ seed, plan: wordsOf({ plan, deed }, report), faults, sketch });
    return report;
  }

  report(seeds: number): SeedsReport {
    return { seeds, runs: this.#runs, steps: this.#steps, happened: this.#happened, faults: this.faults };
  }
}

interface OneRun {
  readonly seed: number;
  readonly plan: MishapPlan;
  readonly deed?: Deed;
}

function wordsOf({ plan, deed }: Required<Omit<OneRun, 'seed'>>, { calls }: SimReport): string {
  const mishapWords = [...plan].map(([call, mishap]) => `${mishap} at call ${call} (${calls[call - 1]})`);
  const deedWords = deed.kind === 'cancel' ? `cancelled after ${deed.afterMs} ms` : 'retried';
  const words = [...(deed.kind === 'none' ? [] : [deedWords]), ...mishapWords];
  return words.length === 0 ? 'in peace' : words.join(', ');
}
