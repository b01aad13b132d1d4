import type { WorldKind } from '@millrace/core/testkit';
import type { Store } from '../../src/store/store.ts';
import type { Action } from './action.ts';
import { type Mishap, type MishapPlan, mishaps } from './crash-points.ts';
import { seededRandom } from './seeded-random.ts';
import { type SimReport, simulate, worldOf } from './simulation.ts';

/** A failing run of a seed, with what is needed to analyse it. */
export interface SeedViolation {
  readonly seed: number;
  readonly plan: string;
  readonly violations: readonly string[];
  readonly sketch: string;
}

/** The result of many seeds. */
export interface SeedsReport {
  readonly seeds: number;
  readonly runs: number;
  readonly steps: number;
  /** `point: mishap`, with how often it happened. */
  readonly happened: ReadonlyMap<string, number>;
  readonly violations: readonly SeedViolation[];
}

/** Enough failing seeds to analyse; the rest is skipped. */
const maxViolations = 5;

/**
 * Runs each seed without mishaps and with random ones. Every other seed is also cancelled at a random moment, with or
 * without mishaps, or runs while the clock is set; for the others a world that usually fails is repaired and its run retried, without and with mishaps.
 */
export async function runSeeds(
  store: Store,
  { first, count, worldKind }: { readonly first: number; readonly count: number; readonly worldKind: WorldKind },
): Promise<SeedsReport> {
  const tally = new Tally(worldKind);
  for (let seed = first; seed < first + count && tally.violations.length < maxViolations; seed += 1) {
    const calm = await tally.run(store, { seed, plan: new Map() });
    const plan = planOf(seed, calm.calls.length);
    await tally.run(store, { seed, plan });
    if (seed % 2 === 0) await runRetried(tally, store, seed);
    else if (seed % 8 === 3) await runWithSetClock(tally, store, { seed, plan, tookMs: calm.tookMs });
    else await runCancelled(tally, store, { seed, plan: seed % 4 === 1 ? plan : new Map(), tookMs: calm.tookMs });
  }
  return tally.report(count);
}

/** Far without mishaps; by some seconds with them, because a change just before a restart is not detected. */
async function runWithSetClock(tally: Tally, store: Store, { seed, plan, tookMs }: OneRun & { tookMs: number }) {
  for (const [most, mishapPlan] of [
    [farthestMs, new Map<number, Mishap>()],
    [nearMs, plan],
  ] as const) {
    const action = { kind: 'set clock', sets: setsOf(seed, { most, tookMs }) } as const;
    await tally.run(store, { seed, plan: mishapPlan, action });
  }
}

/** A year. */
const farthestMs = 365 * 86_400_000;
/** No run reaches its time limit because of a change by as much. */
const nearMs = 60_000;

/** One to three changes of the clock, forward or back. */
function setsOf(seed: number, { most, tookMs }: { readonly most: number; readonly tookMs: number }) {
  const random = seededRandom(seed ^ 0xc10c);
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const afterMs = Math.floor(random() * tookMs);
    // Small changes as often as large ones.
    const size = Math.floor(most ** random());
    return { afterMs, byMs: random() < 0.5 ? size : -size };
  });
}

async function runCancelled(tally: Tally, store: Store, { seed, plan, tookMs }: OneRun & { tookMs: number }) {
  await tally.run(store, { seed, plan, action: { kind: 'cancel', afterMs: momentOf(seed, tookMs) } });
}

async function runRetried(tally: Tally, store: Store, seed: number): Promise<void> {
  const action = { kind: 'retry' } as const;
  const { calls } = await tally.run(store, { seed, plan: new Map(), action });
  await tally.run(store, { seed, plan: planOf(seed, calls.length), action });
}

/** Any moment of a run, and sometimes one after its end. */
function momentOf(seed: number, tookMs: number): number {
  return Math.floor(seededRandom(seed ^ 0xcafe)() * (tookMs + 10));
}

/** Runs a seed once for each mishap at each of its store calls, and with mishaps while it stops. */
export async function runEveryMishap(
  store: Store,
  seed: number,
  { action = { kind: 'none' }, worldKind }: { readonly action?: Action; readonly worldKind: WorldKind },
): Promise<SeedsReport> {
  const tally = new Tally(worldKind);
  const { calls } = await tally.run(store, { seed, plan: new Map(), action });
  for (const mishap of mishaps) {
    for (let call = 1; call <= calls.length; call += 1) {
      await tally.run(store, { seed, plan: new Map([[call, mishap]]), action });
    }
    // Only a stopping process releases its runs: that call follows soon after.
    for (let call = 4; call <= 8; call += 1) {
      const plan = new Map<number, Mishap>([
        [3, 'stops'],
        [call, mishap],
      ]);
      await tally.run(store, { seed, plan, action });
    }
  }
  return tally.report(1);
}

/** One to three mishaps, at any call of a run without mishaps; some directly after each other. */
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
  readonly violations: SeedViolation[] = [];
  readonly #happened = new Map<string, number>();
  readonly #worldKind: WorldKind;
  #runs = 0;
  #steps = 0;

  constructor(worldKind: WorldKind) {
    this.#worldKind = worldKind;
  }

  async run(store: Store, { seed, plan, action = { kind: 'none' } }: OneRun): Promise<SimReport> {
    const report = await simulate(store, { world: worldOf(seed, action, this.#worldKind), seed, plan, action });
    this.#runs += 1;
    this.#steps += report.journal.length;
    for (const name of report.happened) this.#happened.set(name, (this.#happened.get(name) ?? 0) + 1);
    const { violations, sketch } = report;
    if (violations.length > 0)
      this.violations.push({ seed, plan: textOf({ plan, action }, report), violations, sketch });
    return report;
  }

  report(seeds: number): SeedsReport {
    return { seeds, runs: this.#runs, steps: this.#steps, happened: this.#happened, violations: this.violations };
  }
}

interface OneRun {
  readonly seed: number;
  readonly plan: MishapPlan;
  readonly action?: Action;
}

function actionTextOf(action: Action): string {
  if (action.kind === 'cancel') return `cancelled after ${action.afterMs} ms`;
  return action.kind === 'set clock' ? `clock set: ${JSON.stringify(action.sets)}` : 'retried';
}

function textOf({ plan, action }: Required<Omit<OneRun, 'seed'>>, { calls }: SimReport): string {
  const mishapText = [...plan].map(([call, mishap]) => `${mishap} at call ${call} (${calls[call - 1]})`);
  const actionText = actionTextOf(action);
  const words = [...(action.kind === 'none' ? [] : [actionText]), ...mishapText];
  return words.length === 0 ? 'in peace' : words.join(', ');
}
