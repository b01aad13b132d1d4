import { type Fact, Problem, type Published } from '@millrace/core';
import { frailWorld, type RandomWorld, randomWorldWithPauses, sketchOf, type WorldKind } from '@millrace/core/testkit';
import { createRunner } from '../../src/app-runner.ts';
import type { Timers } from '../../src/ground/clock.ts';
import { Turns } from '../../src/ground/turns.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { retryRun } from '../../src/services/executions/retries.ts';
import type { UncleanEnd } from '../../src/store/executions.ts';
import type { Store } from '../../src/store/store.ts';
import { idleParts, idleServices } from '../support/idle-parts.ts';
import type { Action } from './action.ts';
import type { Mishap, MishapPlan } from './crash-points.ts';
import { FaultyStore, type Incarnation } from './faulty-store.ts';
import { seededRandom } from './seeded-random.ts';
import { SimSteps } from './sim-steps.ts';
import { StateModel } from './state-model.ts';
import { StoredWorld } from './stored-world.ts';
import { Witness } from './witness.ts';

/** The result of one seed. */
export interface SimReport {
  /** The violations, one per line. */
  readonly violations: readonly string[];
  /** The points of the store calls, in order. */
  readonly calls: readonly string[];
  /** `point: mishap`. */
  readonly happened: readonly string[];
  readonly journal: readonly Fact[];
  /** The journals of the runs that it started, except those that were not stored or were cancelled. */
  readonly children: readonly (readonly Fact[])[];
  /** Virtual milliseconds until the run had ended. */
  readonly tookMs: number;
  /** The graph, for analysing a violation. */
  readonly sketch: string;
}

/** A caller gets no answer from a process that dies, and repeats its request after this many milliseconds. */
const askAgainMs = 5000;

/** Virtual milliseconds within which a run must end in any case: no step or pause takes as long. */
const patienceMs = 30 * 60_000;

/** Virtual milliseconds until the variables change: most runs last longer. */
const variableChangeMs = 10;

/** The graphs of a seed; for a retry, graphs whose runs usually fail. */
export function worldOf(seed: number, { kind }: Action, worldKind: WorldKind): RandomWorld {
  const random = seededRandom(seed);
  const draw = (most: number) => Math.floor(random() * (most + 1));
  return kind === 'retry' ? frailWorld(draw, worldKind) : randomWorldWithPauses(draw, worldKind);
}

/**
 * One run of a graph by the whole runner on a real store, in virtual time, in this process. Mishaps happen at the store
 * calls in the plan; after each the service restarts on the same store.
 */
export async function simulate(store: Store, given: Given): Promise<SimReport> {
  const simulation = new Simulation(store, given);
  return simulation.run();
}

/** The inputs of a simulation. */
interface Given {
  readonly world: RandomWorld;
  /** Determines the durations of the steps. */
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
  readonly #state: StateModel;
  readonly #seed: number;
  readonly #startedAt: number;
  /** Operations that end in a later turn of the event loop, including processes that are starting. */
  #soon = 0;

  constructor(store: Store, { world, seed, plan, action = { kind: 'none' } }: Given) {
    this.#store = store;
    this.#seed = seed;
    this.#action = action;
    this.#startedAt = this.#time.clock.monotonic();
    this.#world = world;
    this.#random = seededRandom(seed ^ 0x5eed);
    this.#steps = new SimSteps(this.#world, this.#random);
    this.#stored = new StoredWorld(store, this.#time.clock.now);
    this.#state = new StateModel(this.#world);
    this.#witness = new Witness({
      executionId: this.#stored.executionId,
      action,
      now: this.#time.clock.monotonic,
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
    this.#time.timers.after(variableChangeMs, () => void this.#changeVariables());
    if (this.#action.kind === 'cancel') this.#time.timers.after(this.#action.afterMs, () => void this.#cancel());
    if (this.#action.kind === 'set clock') {
      for (const { afterMs, byMs } of this.#action.sets)
        this.#time.timers.after(afterMs, () => this.#time.setClock(byMs));
    }
    await this.#settle();
    await this.#passUntil(async () => this.#witness.hasEnded);
    if (!this.#witness.hasEnded) this.#witness.violations.push('the run is stuck');
    const tookMs = this.#time.clock.monotonic() - this.#startedAt;
    await this.#passUntil(async () => (await this.#stored.openChildren()).length === 0);
    for (const id of await this.#stored.openChildren()) this.#witness.violations.push(`child ${id} is left`);
    for (const incarnation of this.#runners.keys()) this.#kill(incarnation);
    unsubscribe();
    await this.#stored.cancelRest();
    const journals = await this.#stored.journals();
    const family = this.#stored.family(journals);
    const world = this.#world;
    const { happened } = this.#faulty;
    const ended = [...family.children.values()].filter((journal) => !isCancelled(journal));
    const { isRepaired } = this.#steps;
    return {
      violations: [
        ...this.#witness.allViolations({ world, family, isRepaired, wasCalm: happened.length === 0 }),
        ...(await this.#state.allViolations(journals, (key) => this.#stored.value(key))),
      ],
      calls: this.#faulty.calls,
      happened,
      journal: family.journal,
      children: ended,
      tookMs,
      sketch: sketchOf(world),
    };
  }

  /** Lets time pass until the condition is true, or nothing more happens, or the time limit is reached. */
  async #passUntil(isSo: () => Promise<boolean>): Promise<void> {
    const end = this.#startedAt + patienceMs;
    while (!(await isSo()) && this.#time.clock.monotonic() < end && this.#time.advanceToNext()) await this.#settle();
  }

  /** Notes changes of state. A user confirms every question, after some time. */
  #receive(events: readonly Published[]): void {
    for (const published of events) {
      this.#state.published(published);
      const { event } = published;
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

  async #changeVariables(): Promise<void> {
    this.#soon += 1;
    await this.#stored.changeVariables();
    this.#soon -= 1;
  }

  async #cancel(): Promise<void> {
    this.#soon += 1;
    const at = this.#time.clock.now();
    const outcome = await this.#store.executions.cancel({ id: this.#stored.executionId, at });
    if (outcome === 'cancelled' || outcome === 'requested') this.#witness.cancelled(outcome);
    this.#soon -= 1;
  }

  /** Retries the failed run, by a request to the live process. */
  async #retry(): Promise<void> {
    this.#soon += 1;
    const run = await this.#store.executions.byId(this.#stored.executionId);
    this.#soon -= 1;
    if (run?.status !== 'failed') return;
    this.#steps.isRepaired = true;
    this.#time.timers.after(askAgainMs, () => void this.#retry());
    const incarnation = [...this.#runners.keys()].findLast(({ isAlive }) => isAlive);
    if (incarnation === undefined) return;
    const timers = this.#timersOf(incarnation);
    const ports = {
      turns: new Turns({ clock: this.#time.clock, timers }),
      store: this.#faulty.for(incarnation),
      catalogue: this.#steps.catalogue(incarnation, timers),
      acceptance: { checkRoom: async () => undefined },
      clock: this.#time.clock,
    };
    await retryRun(ports, run.id).catch((error: unknown) => {
      // The store may fail, and cancelled runs may not have ended yet.
      if (!(error instanceof Problem)) this.#witness.violations.push(`the retry broke: ${String(error)}`);
    });
  }

  /**
   * Starts the service, as on an embedded database: it takes over all running executions, even if another process is
   * still performing them.
   */
  #boot(): void {
    this.#soon += 1;
    for (const incarnation of this.#runners.keys()) this.#overtaken.add(incarnation);
    this.#store.executions.recover(this.#uncleanEnd()).then(
      () => {
        this.#soon -= 1;
        this.#newRunner().start();
      },
      (error: unknown) => this.#witness.violations.push(`the service could not start: ${String(error)}`),
    );
  }

  /**
   * The first restart finds a record that the run had the event loop. Its seed decides whether the run is certain to be
   * the cause. One incident delays the run and must change nothing else.
   */
  #uncleanEnd(): UncleanEnd | null {
    if (this.#runners.size !== 1) return null;
    const isCertain = this.#seed % 2 === 0;
    const work = { executionId: this.#stored.executionId, during: 'steps', nodeId: null, processId: 'first' } as const;
    return { ...work, kind: isCertain ? 'stall' : 'crash', stalledMs: isCertain ? 1000 : 0, isCertain };
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

  /** Timers of a dead process do not fire. */
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

  /** Stops gracefully, as after SIGTERM, and starts again. */
  async #stop(incarnation: Incarnation): Promise<void> {
    await this.#runners
      .get(incarnation)
      ?.stop(50)
      // Releasing its runs may fail: then the next process finds them.
      .catch(() => undefined);
    if (!incarnation.isAlive) return;
    this.#kill(incarnation);
    this.#boot();
  }

  /** Waits until commits and promises have settled. */
  async #settle(): Promise<void> {
    // A promise resolved in one turn may cause a store call in the next, and its result may arrive in a third.
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
