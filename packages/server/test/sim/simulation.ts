import type { Fact, Published } from '@millrace/core';
import { faultsIn, interpret, type RandomWorld, randomWorldWithPauses, sketchOf } from '@millrace/core/testkit';
import type { Timers } from '../../src/clock.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { Append, ClaimedRun, NewExecution } from '../../src/store/executions.ts';
import type { VersionedGraph } from '../../src/store/graphs.ts';
import type { Store } from '../../src/store/store.ts';
import { VirtualTime } from '../../src/virtual-time.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import { idlePorts } from '../support/idle-ports.ts';
import type { Mishap, MishapPlan } from './crash-points.ts';
import { type Answer, FaultyStore, type Incarnation } from './faulty-store.ts';
import { seededRandom } from './seeded-random.ts';
import { type CalledStep, SimSteps } from './sim-steps.ts';

/** What came of one seed. */
export interface SimReport {
  /** What is wrong, a line each. */
  readonly faults: readonly string[];
  /** The points of the calls of the store, in order. */
  readonly calls: readonly string[];
  /** `point: mishap`. */
  readonly happened: readonly string[];
  readonly journal: readonly Fact[];
  /** Of the runs that it started, as far as they were stored. */
  readonly children: readonly (readonly Fact[])[];
  /** The graph, for who has to find out what is wrong. */
  readonly sketch: string;
}

/** Virtual minutes by which a run must have ended, whatever happens: no step or pause of it takes as long. */
const patienceMs = 30 * 60_000;

/** The graph of a seed. */
export function worldOf(seed: number): RandomWorld {
  const random = seededRandom(seed);
  return randomWorldWithPauses((most) => Math.floor(random() * (most + 1)));
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
}

/** Ids that this process has given: no two runs have the same one. */
let ids = 0;

function newId(): string {
  ids += 1;
  return `01900000-0000-7000-8000-${ids.toString(16).padStart(12, '0')}`;
}

class Simulation {
  readonly #time = new VirtualTime();
  readonly #world: RandomWorld;
  readonly #steps: SimSteps;
  readonly #random: () => number;
  readonly #store: Store;
  readonly #faulty: FaultyStore;
  readonly #faults: string[] = [];
  /** Frames and nodes that have succeeded, once that is stored. */
  readonly #finished = new Set<string>();
  readonly #keys = new Map<string, string>();
  readonly #runners = new Map<Incarnation, Runner>();
  readonly #overtaken = new Set<Incarnation>();
  readonly #executionId: string;
  readonly #started = new Set<string>();
  #child: { readonly workflowId: number; readonly graph: VersionedGraph } | null = null;
  #hasEnded = false;
  /** What comes in a later turn of the event loop, and processes that are starting. */
  #soon = 0;

  constructor(store: Store, { world, seed, plan }: Given) {
    this.#store = store;
    this.#world = world;
    this.#random = seededRandom(seed ^ 0x5eed);
    this.#steps = new SimSteps(this.#world, this.#random);
    this.#steps.onCall = (call, incarnation) => this.#noteCall(call, incarnation);
    this.#faulty = new FaultyStore({
      store,
      plan,
      strike: (mishap, incarnation) => this.#strike(mishap, incarnation),
      answered: (answer) => this.#noteAnswer(answer),
    });
    this.#executionId = newId();
  }

  async run(): Promise<SimReport> {
    await this.#accept();
    const unsubscribe = this.#store.subscribe({ published: (events) => this.#hear(events) });
    this.#boot();
    const end = this.#time.clock.now() + patienceMs;
    await this.#settle();
    while (!this.#hasEnded && this.#time.clock.now() < end && this.#time.advanceToNext()) await this.#settle();
    if (!this.#hasEnded) this.#faults.push('the run is stuck');
    for (const incarnation of this.#runners.keys()) this.#kill(incarnation);
    unsubscribe();
    await this.#cancelRest();
    const journal = await this.#journalOf(this.#executionId);
    const children = await this.#journalsOfChildren();
    return {
      faults: [...this.#faults, ...faultsIn(journal, interpret(this.#world)), ...this.#faultsIn(children)],
      calls: this.#faulty.calls,
      happened: this.#faulty.happened,
      journal,
      children,
      sketch: sketchOf(this.#world),
    };
  }

  async #journalOf(executionId: string): Promise<readonly Fact[]> {
    const detail = await this.#store.executions.detail(executionId);
    return (detail?.journal ?? []).flatMap(({ fact }) => (fact.kind === 'run_retried' ? [] : [fact]));
  }

  /** What is left under way is nothing for the next simulation on this store. */
  async #cancelRest(): Promise<void> {
    await this.#store.executions.recover();
    const at = this.#time.clock.now();
    for (const id of [this.#executionId, ...this.#started]) await this.#store.executions.cancel({ id, at });
  }

  /** Of the runs that this one has started; those that were stored, and that nobody cancelled. */
  async #journalsOfChildren(): Promise<readonly (readonly Fact[])[]> {
    const journals: (readonly Fact[])[] = [];
    for (const id of this.#started) {
      const journal = await this.#journalOf(id);
      const last = journal.at(-1);
      if (last?.kind === 'run_finished' && last.status !== 'cancelled') journals.push(journal);
    }
    return journals;
  }

  #faultsIn(children: readonly (readonly Fact[])[]): readonly string[] {
    const { child } = this.#world;
    if (child === null) return [];
    const verdict = interpret(child);
    return children.flatMap((journal) => faultsIn(journal, verdict).map((fault) => `child: ${fault}`));
  }

  /** Stores the graphs as workflows, and a run. */
  async #accept(): Promise<void> {
    const at = this.#time.clock.now();
    const user = await this.#store.users.insert({ username: this.#executionId, isAdmin: false, at });
    if (user === null) throw new Error('the user could not be stored');
    const { child } = this.#world;
    if (child !== null) this.#child = await this.#addWorkflow(child, user.id);
    const { workflowId, graph } = await this.#addWorkflow(this.#world, user.id);
    await this.#store.executions.accept({
      id: this.#executionId,
      workflowId,
      version: graph.version,
      graph,
      triggerNodeId: 'n0',
      trigger: { payload: null, text: '' },
      idempotency: null,
      at,
    });
  }

  async #addWorkflow(world: RandomWorld, ownerId: number) {
    const at = this.#time.clock.now();
    const slug = newId();
    const inserted = await this.#store.workflows.insert({ ...blankWorkflow, name: slug, slug, ownerId, at });
    if (inserted === 'slug_taken') throw new Error('the slug is taken');
    const changes = [
      ...world.graph.nodes.map(({ id: _id, updatedAt: _at, ...node }) => ({ kind: 'create_node', node }) as const),
      ...world.graph.edges.map(({ id: _id, ...edge }) => ({ kind: 'create_edge', edge }) as const),
    ];
    const { id: workflowId, version: baseVersion } = inserted;
    await this.#store.graphs.save({ workflowId, baseVersion, changes, at });
    const graph = await this.#store.graphs.load(workflowId);
    if (graph === null) throw new Error('the graph is gone');
    return { workflowId, graph };
  }

  /** A run of the other workflow, to be stored with the step that starts it. */
  async #startChild(parent: ClaimedRun): Promise<NewExecution> {
    if (this.#child === null) throw new Error('there is no other workflow');
    const { workflowId, graph } = this.#child;
    const id = newId();
    this.#started.add(id);
    return {
      id,
      workflowId,
      version: graph.version,
      graph,
      triggerNodeId: 'c0',
      trigger: { payload: null, text: '' },
      idempotency: null,
      parent: { executionId: parent.id, depth: parent.depth + 1 },
      at: this.#time.clock.now(),
    };
  }

  /** Somebody says yes to whatever is asked, after some time. */
  #hear(events: readonly Published[]): void {
    for (const { event } of events) {
      if (event.type !== 'execution_interrupted') continue;
      const { executionId } = event;
      this.#time.timers.after(Math.floor(this.#random() * 2000), () => void this.#sayYes(executionId));
    }
  }

  async #sayYes(executionId: string): Promise<void> {
    if (executionId !== this.#executionId && !this.#started.has(executionId)) return;
    this.#soon += 1;
    const answer = { kind: 'decision', confirmed: true, response: '', by: null } as const;
    for (const { pause, ...key } of await this.#store.waits.open(executionId)) {
      if (pause.kind !== 'approval') continue;
      await this.#store.waits.answer({ ...key, executionId, answer });
    }
    this.#soon -= 1;
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
      (error: unknown) => this.#faults.push(`the service could not start: ${String(error)}`),
    );
  }

  #newRunner(): Runner {
    const incarnation = { name: `process ${this.#runners.size + 1}`, isAlive: true, unsubscribes: [] };
    const timers = this.#timersOf(incarnation);
    const runner = new Runner({
      store: this.#faulty.for(incarnation),
      catalogue: this.#steps.catalogue(incarnation, timers),
      clock: this.#time.clock,
      timers,
      random: this.#random,
      ...idlePorts,
      subworkflow: (parent) => this.#startChild(parent),
      isAwaited: () => true,
      maxSteps: 10_000,
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

  #noteCall({ name, key }: CalledStep, incarnation: Incarnation): void {
    const known = this.#keys.get(name) ?? key;
    if (known !== key) this.#faults.push(`${name} has two keys`);
    this.#keys.set(name, key);
    // Who was overtaken may begin what another has done: its key tells the other side, and its facts are not stored.
    const isRepeated = this.#finished.has(name) && !this.#overtaken.has(incarnation);
    if (isRepeated) this.#faults.push(`${name} was performed again after it had finished`);
  }

  #noteAnswer({ point, asked, value }: Answer): void {
    if (point !== 'executions.append' || value === 'lost') return;
    const { id, facts } = asked as Append;
    for (const fact of facts) {
      if (fact.kind === 'step_succeeded') this.#finished.add(`${id} ${fact.frame}/${fact.nodeId}`);
      if (fact.kind === 'run_finished' && id === this.#executionId) this.#hasEnded = true;
    }
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
