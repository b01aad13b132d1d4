import type { Store } from '../../src/store/store.ts';
import { type Mishap, type MishapPlan, mishaps } from './crash-points.ts';
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

/** Runs each seed twice: in peace, and with mishaps that the seed draws. */
export async function runSeeds(store: Store, first: number, count: number): Promise<SeedsReport> {
  const tally = new Tally();
  for (let seed = first; seed < first + count && tally.faults.length < mostFaults; seed += 1) {
    const { calls } = await tally.run(store, seed, new Map());
    await tally.run(store, seed, planOf(seed, calls.length));
  }
  return tally.report(count);
}

/** Runs a seed once for each call of the store that it makes and each mishap, and with mishaps while it stops. */
export async function runEveryMishap(store: Store, seed: number): Promise<SeedsReport> {
  const tally = new Tally();
  const { calls } = await tally.run(store, seed, new Map());
  for (const mishap of mishaps) {
    for (let call = 1; call <= calls.length; call += 1) await tally.run(store, seed, new Map([[call, mishap]]));
    // Only a process that stops gives its runs back: that call comes soon after.
    for (let call = 4; call <= 8; call += 1) {
      await tally.run(
        store,
        seed,
        new Map<number, Mishap>([
          [3, 'stops'],
          [call, mishap],
        ]),
      );
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

  async run(store: Store, seed: number, plan: MishapPlan): Promise<SimReport> {
    const report = await simulate(store, { world: worldOf(seed), seed, plan });
    this.#runs += 1;
    this.#steps += report.journal.length;
    for (const name of report.happened) this.#happened.set(name, (this.#happened.get(name) ?? 0) + 1);
    const words = [...plan].map(([call, mishap]) => `${mishap} at call ${call} (${report.calls[call - 1]})`).join(', ');
    const { faults, sketch } = report;
    if (faults.length > 0) this.faults.push({ seed, plan: words === '' ? 'in peace' : words, faults, sketch });
    return report;
  }

  report(seeds: number): SeedsReport {
    return { seeds, runs: this.#runs, steps: this.#steps, happened: this.#happened, faults: this.faults };
  }
}
