import { type Fact, Problem, type Published } from '@millrace/core';
import { frailWorld, type RandomWorld, randomWorldWithPauses, sketchOf } from '@millrace/core/testkit';
import { createRunner } from '../../src/app-runner.ts';
import type { Timers } from '../../src/ground/clock.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { retryRun } from '../../src/services/executions/retries.ts';
import type { Store } from '../../src/store/store.ts';
import { idleParts, idleServices } from '../support/idle-parts.ts';
import type { Action } from './action.ts';
import type { Mishap, MishapPlan } from './crash-points.ts';
import { FaultyStore, type Incarnation } from './faulty-store.ts';
import { seededRandom } from './seeded-random.ts';
import { SimSteps } from './sim-steps.ts';
import { StoredWorld } from './stored-world.ts';
import { Witness } from './witness.ts';

/** What came of one seed. */
export interface SimReport {
  /** What is wrong, a line each. */
  readonly violations: readonly string[];
  /** The points of the calls of the store, in order. */
  readonly calls: readonly string[];
  /** `point: mishap`. */
  readonly happened: readonly string[];
  readonly journal: readonly Fact[];
  /** Of the runs that it started; those that were stored, and that nobody cancelled. */
  readonly children: readonly (readonly Fact[])[];
  /** Virtual milliseconds until the run had ended. */
  readonly tookMs: number;
  /** The graph, for who has to find out what is wrong. */
  readonly sketch: string;
}

/** Who asks a process that dies hears nothing, and asks again after so many milliseconds. */
const askAgainMs = 5000;

/** Virtual minutes by which a run must have ended, whatever happens: no step or pause of it takes as long. */
const patienceMs = 30 * 60_000;

/** The graphs of a seed; where the run is to be retried, of runs that as a rule fail. */
export function worldOf(seed: number, { kind }: Action): RandomWorld {
  const random = seededRandom(seed);
  const draw = (most: number) => Math.floor(random() * (most + 1));
  return kind === 'retry' ? frailWorld(draw) : randomWorldWithPauses(draw);
}

/**
 * One run of a graph by the whole runner on a real store, in virtual time, in this process. Mishaps happen at the
 * calls of the store that the plan names; after each the service starts anew on the same store.
 */
export async function simulate(store: Store, given: Given): Promise<SimReport> {
  const simulation = new Simulation(store, given);
  return simulation.run();
}

/** What a simulation is made of. */
interface Given {
  readonly world: RandomWorld;
  /** Of how long steps take. */
  readonly seed: number;
  readonly plan: MishapPlan;
  readonly action?: Action;
}

class Simulation {
  readonly #time = new VirtualTime();
  readonly #world: RandomWorld;
  readonly #steps: SimSteps;
  readonly #random: () => number;
  readonly #store: Store;
  readonly #faulty: FaultyStore;
  readonly #runners = new Map<Incarnation, Runner>();
  readonly #overtaken = new Set<Incarnation>();
  readonly #action: Action;
  readonly #stored: StoredWorld;
  readonly #witness: Witness;
  readonly #startedAt: number;
  /** What comes in a later turn of the event loop, and processes that are starting. */
  #soon = 0;

  constructor(store: Store, { world, seed, plan, action = { kind: 'none' } }: Given) {
    this.#store = store;
    this.#action = action;
    this.#startedAt = this.#time.clock.now();
    this.#world = world;
    this.#random = seededRandom(seed ^ 0x5eed);
    this.#steps = new SimSteps(this.#world, this.#random);
    this.#stored = new StoredWorld(store, this.#time.clock.now);
    this.#witness = new Witness({
      executionId: this.#stored.executionId,
      action,
      now: this.#time.clock.now,
      failed: () => this.#time.timers.after(Math.floor(this.#random() * 2000), () => void this.#retry()),
    });
    this.#steps.onCall = (call, incarnation) => this.#witness.called(call, this.#overtaken.has(incarnation));
    this.#faulty = new FaultyStore({
      store,
      plan,
      strike: (mishap, incarnation) => this.#strike(mishap, incarnation),
      answered: (answer) => this.#witness.answered(answer),
    });
  }

  async run(): Promise<SimReport> {
    await this.#stored.accept(this.#world);
    const unsubscribe = this.#store.subscribe({ published: (events) => this.#receive(events) });
    this.#boot();
    if (this.#action.kind === 'cancel') this.#time.timers.after(this.#action.afterMs, () => void this.#cancel());
    await this.#settle();
    await this.#passUntil(async () => this.#witness.hasEnded);
    if (!this.#witness.hasEnded) this.#witness.violations.push('the run is stuck');
    const tookMs = this.#time.clock.now() - this.#startedAt;
    await this.#passUntil(async () => (await this.#stored.openChildren()).length === 0);
    for (const id of await this.#stored.openChildren()) this.#witness.violations.push(`child ${id} is left`);
    for (const incarnation of this.#runners.keys()) this.#kill(incarnation);
    unsubscribe();
    await this.#stored.cancelRest();
    const family = await this.#stored.family();
    const world = this.#world;
    const { happened } = this.#faulty;
    const ended = [...family.children.values()].filter((journal) => !isCancelled(journal));
    return {
      violations: this.#witness.allViolations({
        world,
        family,
        isRepaired: this.#steps.isRepaired,
        wasCalm: happened.length === 0,
      }),
      calls: this.#faulty.calls,
      happened,
      journal: family.journal,
      children: ended,
      tookMs,
      sketch: sketchOf(world),
    };
  }

  /** Lets time pass until something is so, or nothing more comes, or it has been long enough. */
  async #passUntil(isSo: () => Promise<boolean>): Promise<void> {
    const end = this.#startedAt + patienceMs;
    while (!(await isSo()) && this.#time.clock.now() < end && this.#time.advanceToNext()) await this.#settle();
  }

  /** Somebody says yes to whatever is asked, after some time. */
  #receive(events: readonly Published[]): void {
    for (const { event } of events) {
      if (event.type !== 'execution_interrupted') continue;
      const { executionId } = event;
      this.#time.timers.after(Math.floor(this.#random() * 2000), () => void this.#sayYes(executionId));
    }
  }

  async #sayYes(executionId: string): Promise<void> {
    if (executionId !== this.#stored.executionId && !this.#stored.started.has(executionId)) return;
    this.#soon += 1;
    const answer = { kind: 'decision', confirmed: true, response: '', by: null } as const;
    for (const { pause, ...key } of await this.#store.waits.open(executionId)) {
      if (pause.kind !== 'approval') continue;
      await this.#store.waits.answer({ ...key, executionId, answer });
    }
    this.#soon -= 1;
  }

  async #cancel(): Promise<void> {
    this.#soon += 1;
    const at = this.#time.clock.now();
    const outcome = await this.#store.executions.cancel({ id: this.#stored.executionId, at });
    if (outcome === 'cancelled' || outcome === 'requested') this.#witness.cancelled(outcome);
    this.#soon -= 1;
  }

  /** Has the failed run go on, by asking the process that lives. */
  async #retry(): Promise<void> {
    this.#soon += 1;
    const run = await this.#store.executions.byId(this.#stored.executionId);
    this.#soon -= 1;
    if (run?.status !== 'failed') return;
    this.#steps.isRepaired = true;
    this.#time.timers.after(askAgainMs, () => void this.#retry());
    const incarnation = [...this.#runners.keys()].findLast(({ isAlive }) => isAlive);
    if (incarnation === undefined) return;
    const ports = {
      store: this.#faulty.for(incarnation),
      catalogue: this.#steps.catalogue(incarnation, this.#timersOf(incarnation)),
      acceptance: { checkRoom: async () => undefined },
      clock: this.#time.clock,
    };
    await retryRun(ports, run.id).catch((error: unknown) => {
      // The store may fail, and what was cancelled may not have ended yet.
      if (!(error instanceof Problem)) this.#witness.violations.push(`the retry broke: ${String(error)}`);
    });
  }

  /** Starts the service, as on an embedded database: what was running is anybody's, whoever may still be at it. */
  #boot(): void {
    this.#soon += 1;
    for (const incarnation of this.#runners.keys()) this.#overtaken.add(incarnation);
    this.#store.executions.recover().then(
      () => {
        this.#soon -= 1;
        this.#newRunner().start();
      },
      (error: unknown) => this.#witness.violations.push(`the service could not start: ${String(error)}`),
    );
  }

  #newRunner(): Runner {
    const incarnation = { name: `process ${this.#runners.size + 1}`, isAlive: true, unsubscribes: [] };
    const timers = this.#timersOf(incarnation);
    const runner = createRunner({
      store: this.#faulty.for(incarnation),
      catalogue: this.#steps.catalogue(incarnation, timers),
      clock: this.#time.clock,
      timers,
      random: this.#random,
      ...idleParts,
      services: {
        ...idleServices,
        subworkflow: async (parent) => this.#stored.startChild(parent),
        resultWaiters: { isAwaited: () => true },
      },
      owner: incarnation.name,
    });
    this.#runners.set(incarnation, runner);
    return runner;
  }

  /** For a dead process no timer rings. */
  #timersOf(incarnation: Incarnation): Timers {
    const { timers } = this.#time;
    const ifAlive = (fn: () => void) => () => {
      if (incarnation.isAlive) fn();
    };
    const soon = (fn: () => void) => {
      this.#soon += 1;
      setImmediate(() => {
        this.#soon -= 1;
        ifAlive(fn)();
      });
    };
    return {
      after: (ms, fn) => timers.after(ms, ifAlive(fn)),
      soon,
      unhurried: (fn) => soon(() => fn(Number.POSITIVE_INFINITY)),
    };
  }

  #strike(mishap: Mishap, incarnation: Incarnation): void {
    if (mishap === 'stops') {
      void this.#stop(incarnation);
      return;
    }
    if (mishap !== 'overtaken') this.#kill(incarnation);
    this.#boot();
  }

  #kill(incarnation: Incarnation): void {
    incarnation.isAlive = false;
    for (const unsubscribe of incarnation.unsubscribes) unsubscribe();
  }

  /** Stops in good order, as after SIGTERM, and starts again. */
  async #stop(incarnation: Incarnation): Promise<void> {
    await this.#runners
      .get(incarnation)
      ?.stop(50)
      // It may fail to give its runs back: then the next process finds them.
      .catch(() => undefined);
    if (!incarnation.isAlive) return;
    this.#kill(incarnation);
    this.#boot();
  }

  /** Lets commits and promises happen until nothing more does by itself. */
  async #settle(): Promise<void> {
    // What one turn has resolved may call the store in the next one, and its answer come in a third.
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#faulty.pending + this.#soon > 0) quiet = -1;
    }
  }
}

function isCancelled(journal: readonly Fact[]): boolean {
  const last = journal.at(-1);
  return last?.kind === 'run_finished' && last.status === 'cancelled';
}
