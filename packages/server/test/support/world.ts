import { catalogue } from '@millrace/components';
import {
  type Catalogue,
  type Component,
  defaultMaxSteps,
  defineComponent,
  type Graph,
  type Json,
  type JsonObject,
  type LiveEvent,
  type StepResult,
} from '@millrace/core';
import { z } from 'zod';
import { createRunner } from '../../src/app-runner.ts';
import { newExecutionId } from '../../src/ground/ids.ts';
import { Turns } from '../../src/ground/turns.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { RunnerPorts } from '../../src/runner/ports.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { retryRun } from '../../src/services/executions/retries.ts';
import type { ExecutionDetail, UncleanEnd } from '../../src/store/executions.ts';
import type { GraphChange } from '../../src/store/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { blankNode, edgesOf } from './blank-graph.ts';
import { blankWorkflow } from './blank-workflow.ts';
import { idleParts, idleServices } from './idle-parts.ts';

const loopType = [...catalogue.values()].filter(({ type }) => type === 'loop');

const port = { name: 'output', dataType: 'any', description: 'A value.' } as const;

/** Limits of a run's output and of the runner. */
type Limits = Pick<RunnerPorts, 'maxSteps' | 'maxRunSize'>;

/** Small enough for a test to reach. */
const usualLimits: Limits = { maxSteps: defaultMaxSteps, maxRunSize: 100_000 };

interface Crash {
  readonly forMs?: number;
  readonly isRestart?: boolean;
  readonly end?: UncleanEnd | null;
}

/** The behaviour of a test's step: a function of its call count, from 1. */
export type Action = (call: number, signal: AbortSignal, input: Json) => StepResult | Promise<StepResult>;

/**
 * A runner on a real in-memory store, with components whose behaviour the test sets, in time that the test advances.
 */
export class World {
  readonly time = new VirtualTime();
  readonly events: LiveEvent[] = [];
  readonly calls = new Map<string, number>();
  /** The idempotency key of each call, in order. */
  readonly keys: string[] = [];
  /** The runs that a request waits for. */
  readonly awaited = new Set<string>();
  readonly store: Store;
  #runner: Runner;
  #owner = { name: 'first', isDead: false };
  readonly #actions: Readonly<Record<string, Action>>;
  readonly #catalogue: Catalogue;
  readonly #limits: Limits;

  private constructor(store: Store, actions: Readonly<Record<string, Action>>, limits: Limits) {
    this.store = store;
    this.#limits = limits;
    this.#actions = actions;
    this.#catalogue = new Map(
      [
        this.#component('start', { category: 'Triggers', inputs: [] }),
        this.#component('pure', {}),
        this.#component('keyed', { effect: 'keyed' }),
        this.#component('once', { effect: 'once' }),
        ...loopType,
      ].map((entry) => [entry.type, entry]),
    );
    this.#runner = this.#newRunner();
    store.subscribe({ published: (events) => this.events.push(...events.map(({ event }) => event)) });
  }

  static async open(
    actions: Readonly<Record<string, Action>> = {},
    { store, ...limits }: Partial<Limits> & { readonly store?: Store } = {},
  ): Promise<World> {
    const world = new World(store ?? openSqliteStore({ path: ':memory:' }), actions, { ...usualLimits, ...limits });
    world.#runner.start();
    return world;
  }

  async close(): Promise<void> {
    await this.#runner.stop(0);
    await this.store.close();
  }

  /**
   * Freezes the runner, so that it claims runs and renews leases no more, and lets another runner take over: at once or
   * after a while, as in a restart, or else when the leases have expired. Steps in progress may still end. `end` is the
   * record of the run that had the event loop.
   */
  async crash({ forMs = 0, isRestart = true, end = null }: Crash = {}): Promise<void> {
    this.#owner.isDead = true;
    this.time.setClock(forMs);
    this.#owner = { name: `after ${this.#owner.name}`, isDead: false };
    this.#runner = this.#newRunner();
    if (isRestart) await this.store.executions.recover(end);
    this.#runner.start();
  }

  /** Stops the runner gracefully, and starts another. */
  async restart(): Promise<void> {
    await this.#runner.stop(0);
    this.#runner = this.#newRunner();
    this.#runner.start();
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** Stores a workflow of `name: type` nodes and `a -> b` or `a -label-> b` edges, and starts a run of it. */
  async start(nodes: Readonly<Record<string, string | [string, JsonObject]>>, edges: string): Promise<string> {
    const at = this.time.clock.now();
    const user = await this.store.users.insert({ username: newExecutionId(at), isAdmin: false, at });
    if (user === null) throw new Error('the user could not be stored');
    const workflow = await this.store.workflows.insert({
      ...blankWorkflow,
      name: 'A workflow',
      slug: newExecutionId(at),
      ownerId: user.id,
      at,
    });
    if (workflow === 'slug_taken') throw new Error('the slug is taken');
    const links = edgesOf(edges).map((edge) => ({ kind: 'create_edge', edge }) as const);
    const changes = [...Object.entries(nodes).map(createNode), ...links];
    await this.store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes, at });
    const graph = await this.store.graphs.load(workflow.id);
    if (graph === null) throw new Error('the graph is missing');
    return this.#accept(workflow.id, graph);
  }

  async #accept(workflowId: number, graph: Graph & { version: number }): Promise<string> {
    const { id } = await this.store.executions.accept({
      id: newExecutionId(this.time.clock.now()),
      workflowId,
      graph,
      triggerNodeId: 'hook',
      trigger: { payload: { n: 1 }, text: '' },
      idempotency: null,
      at: this.time.clock.now(),
    });
    return id;
  }

  /** Waits until commits and promises have settled. */
  async settle(): Promise<void> {
    // A step takes a few turns of the event loop (claim, plan, commit); no test's graph has more than ten steps.
    for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  async detail(id: string): Promise<ExecutionDetail> {
    const detail = await this.store.executions.detail(id);
    if (detail === null) throw new Error('the execution is missing');
    return detail;
  }

  /** Retries a failed run as a user would, and lets it run until it settles. */
  async retry(id: string): Promise<void> {
    const acceptance = { checkRoom: async () => undefined };
    const { clock, timers } = this.time;
    const turns = new Turns({ clock, timers });
    await retryRun({ store: this.store, catalogue: this.#catalogue, acceptance, clock, turns }, id);
    await this.settle();
  }

  #newRunner(): Runner {
    const owner = this.#owner;
    return createRunner({
      store: mortal(this.store, owner),
      catalogue: this.#catalogue,
      clock: this.time.clock,
      timers: this.time.timers,
      random: () => 0,
      ...idleParts,
      services: { ...idleServices, resultWaiters: { isAwaited: (id) => this.awaited.has(id) } },
      ...this.#limits,
      owner: owner.name,
    });
  }

  #component(type: string, extra: Omit<Partial<Component<never>>, 'config'>): Component<never> {
    return defineComponent<never>({
      type,
      label: type,
      category: 'Logic',
      description: 'For tests.',
      icon: 'box',
      color: '#000000',
      inputs: [{ ...port, name: 'input', required: false }],
      outputs: [port],
      subInputs: [],
      effect: 'pure',
      version: 1,
      config: z.never(),
      run: ({ input, ctx }) => {
        const call = (this.calls.get(ctx.nodeId) ?? 0) + 1;
        this.calls.set(ctx.nodeId, call);
        this.keys.push(ctx.idempotencyKey);
        const action = this.#actions[ctx.nodeId];
        return action === undefined ? { outputs: { output: input } } : action(call, ctx.signal as AbortSignal, input);
      },
      ...extra,
    });
  }
}

/** The store of a runner that may die: once dead, it claims runs, renews leases and follows the clock no more. */
function mortal(store: Store, owner: { readonly isDead: boolean }): Store {
  const never = () => new Promise<never>(() => undefined);
  const executions = overridden(store.executions, (name) =>
    owner.isDead && (name === 'claim' || name === 'renew') ? never : undefined,
  );
  const waits = overridden(store.waits, (name) => (owner.isDead && name === 'followClock' ? never : undefined));
  return overridden(store, (name) => (name === 'executions' ? executions : name === 'waits' ? waits : undefined));
}

/** The target with other members for some names. */
function overridden<T extends object>(target: T, instead: (name: string | symbol) => unknown): T {
  return new Proxy(target, {
    get(_target, name) {
      const other = instead(name);
      if (other !== undefined) return other;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function createNode([nodeId, given]: [string, string | [string, JsonObject]]): GraphChange {
  const [componentType, extra] = typeof given === 'string' ? [given, {}] : given;
  return { kind: 'create_node', node: blankNode(nodeId, componentType, { extra }) };
}
