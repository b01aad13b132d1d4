import { isEnded, type Json, type JsonObject, type StateKey, type User, type Workflow } from '@millrace/core';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import type { Services } from '../../src/app-services.ts';
import type { Timers } from '../../src/ground/clock.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { ExecutionDetail } from '../../src/store/executions.ts';
import type { NodeFields } from '../../src/store/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { blankNode, edgesOf } from '../support/blank-graph.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import { idleParts } from '../support/idle-parts.ts';
import { cheapPasswords } from '../support/passwords.ts';
import { testVault } from '../support/vault.ts';

/** A workflow in short form: nodes by their ids, and `a -> b` or `a -label-> b` lines. */
export interface Sketch {
  readonly nodes: Readonly<Record<string, readonly [type: string, extra: JsonObject, fields?: Partial<NodeFields>]>>;
  readonly edges: string;
}

/** When to kill the runner: at which of its write calls, before it takes effect or after. */
export interface KillPoint {
  readonly call: number;
  readonly moment: 'before' | 'after';
}

const log = pino({ level: 'silent' });

/** The methods by which a runner changes the store. */
const writes: ReadonlySet<string | symbol> = new Set(['claim', 'append', 'wakeDue']);

/** One life of a runner: its calls are counted, and after the kill no call returns and no timer fires. */
class Life {
  calls = 0;
  isOver = false;
  readonly #kill: KillPoint | null;
  readonly #killed: () => void;

  constructor(kill: KillPoint | null, killed: () => void) {
    this.#kill = kill;
    this.#killed = killed;
  }

  call<T>(perform: () => Promise<T>, name: string | symbol): Promise<T> {
    const never = new Promise<T>(() => undefined);
    if (this.isOver) return never;
    const isWrite = writes.has(name);
    if (isWrite) this.calls += 1;
    if (isWrite && this.calls === this.#kill?.call) {
      this.isOver = true;
      const done = this.#kill.moment === 'after' ? perform() : Promise.resolve();
      void done.then(this.#killed, this.#killed);
      return never;
    }
    // Results after the kill are never delivered.
    return perform().then((value) => (this.isOver ? never : value));
  }

  timers(timers: Timers): Timers {
    const alive = (fn: () => void) => () => {
      if (!this.isOver) fn();
    };
    return {
      after: (ms, fn) => timers.after(ms, alive(fn)),
      soon: (fn) => timers.soon(alive(fn)),
      unhurried: (fn) => timers.unhurried((idleMs) => alive(() => fn(idleMs))()),
    };
  }
}

/**
 * Processes of the service as `app.ts` wires it, in virtual time on one store: one that only answers users, and one whose
 * runner can be killed at any write.
 */
export class PauseWorld {
  readonly time = new VirtualTime();
  readonly store: Store;
  readonly #apps: App[] = [];
  readonly #front: App;
  #user: User | null = null;
  #back: App | null = null;
  #life: Life | null = null;

  private constructor(store: Store) {
    this.store = store;
    this.#front = this.#newApp(store, this.time.timers);
  }

  /** Creates a process that does not listen. Each has its own name in leases, as real processes have. */
  #newApp(store: Store, timers: Timers): App {
    const { outbound, toolRequest, botRequest, askModel, sandbox } = idleParts;
    const app = createApp({
      host: 'localhost',
      publicUrl: 'http://localhost',
      log,
      store,
      vault: testVault(store),
      clock: this.time.clock,
      timers,
      random: () => 0,
      passwords: cheapPasswords(),
      outbound,
      toolRequest,
      botRequest,
      askModel,
      sandbox: { ...sandbox, close: () => undefined },
      owner: `process ${this.#apps.length}`,
    });
    this.#apps.push(app);
    return app;
  }

  /** The use cases of the process that answers users. */
  get services(): Services {
    return this.#front.services;
  }

  static async open(): Promise<PauseWorld> {
    return PauseWorld.on(openSqliteStore({ path: ':memory:' }));
  }

  /** Uses a store that may already contain data. */
  static async on(store: Store): Promise<PauseWorld> {
    const world = new PauseWorld(store);
    const at = world.time.clock.now();
    const known = await store.users.byUsername('ada');
    world.#user = known ?? (await store.users.insert({ username: 'ada', isAdmin: false, at }));
    return world;
  }

  get user(): User {
    if (this.#user === null) throw new Error('the world is not open yet');
    return this.#user;
  }

  async close(): Promise<void> {
    if (this.#life !== null) this.#life.isOver = true;
    await this.end();
    await this.store.close();
  }

  /** Ends the processes, and leaves the store open. */
  async end(): Promise<void> {
    for (const app of this.#apps) await app.close();
  }

  /** The number of writes of the current runner. */
  get calls(): number {
    return this.#life?.calls ?? 0;
  }

  /** The runs that the runner owns. */
  get activeCount(): number {
    return this.#back?.runner.activeCount ?? 0;
  }

  /** Starts a runner; if it is killed, the next one takes over, as after a restart. */
  startRunner(kill: KillPoint | null = null): void {
    const life = new Life(kill, () => void this.store.executions.recover().then(() => this.startRunner()));
    this.#life = life;
    this.#back = this.#newApp(mortal(this.store, life), life.timers(this.time.timers));
    this.#back.runner.start();
  }

  /** Stops the current runner as a kill does, and starts none. */
  killRunner(): void {
    if (this.#life !== null) this.#life.isOver = true;
  }

  async addWorkflow(slug: string, { nodes, edges }: Sketch): Promise<Workflow> {
    const at = this.time.clock.now();
    const workflow = await this.store.workflows.insert({
      ...blankWorkflow,
      name: slug,
      slug,
      ownerId: this.user.id,
      at,
    });
    if (workflow === 'slug_taken') throw new Error(`there is a workflow ${slug}`);
    await this.services.graphs.edit(workflow, () => [
      ...Object.entries(nodes).map(
        ([nodeId, [type, extra, fields]]) =>
          ({ kind: 'create_node', node: blankNode(nodeId, type, { extra, ...fields }) }) as const,
      ),
      ...edgesOf(edges).map((edge) => ({ kind: 'create_edge', edge }) as const),
    ]);
    const stored = await this.store.workflows.byId(workflow.id);
    if (stored === null) throw new Error('the workflow is missing');
    return stored;
  }

  async start(workflow: Workflow, payload: JsonObject = {}): Promise<string> {
    const start = { payload, text: '', triggerNodeId: null, version: null, toNodeId: null, recording: null };
    const request = { ...start, wait: false, idempotency: null };
    return (await this.services.executions.start(workflow, { ...request, userId: workflow.ownerId })).id;
  }

  /** A stored value of state; null if there is none. */
  value(workflow: Workflow, key: StateKey): Promise<Json> {
    return this.services.state.read(workflow, key);
  }

  async detail(id: string): Promise<ExecutionDetail> {
    const detail = await this.store.executions.detail(id);
    if (detail === null) throw new Error('the execution is missing');
    return detail;
  }

  /** Waits until commits and promises have settled. */
  async settle(turns = 40): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Answers everything that any execution waits for, once each; true if there was something. */
  async answerAll(ids: readonly string[]): Promise<boolean> {
    let count = 0;
    for (const executionId of ids) {
      for (const { frame, nodeId, stage, pause } of await this.store.waits.open(executionId)) {
        const answer =
          pause.kind === 'approval'
            ? ({ kind: 'decision', confirmed: true, response: 'fine', by: 'ada' } as const)
            : ({ kind: 'call', body: { called: frame } } as const);
        if (pause.kind !== 'approval' && pause.kind !== 'callback') continue;
        await this.store.waits.answer({ executionId, frame, nodeId, stage, answer });
        count += 1;
      }
    }
    return count > 0;
  }

  /** All executions, oldest first. */
  async executionIds(): Promise<readonly string[]> {
    const { items } = await this.store.executions.list({ visibleTo: this.user.id, limit: 1000, offset: 0 });
    return items.map(({ id }) => id).reverse();
  }

  /** Advances time and answers until an execution has ended, or nothing more happens. */
  async finish(id: string): Promise<ExecutionDetail> {
    for (let round = 0; round < 12; round += 1) {
      await this.settle();
      const detail = await this.detail(id);
      if (isEnded(detail.status)) return detail;
      await this.answerAll(await this.executionIds());
      // Longer than the waits of these tests, and longer than a lease.
      this.time.advance(15_000);
    }
    return this.detail(id);
  }
}

/** The store as a runner of one life sees it. */
function mortal(store: Store, life: Life): Store {
  const guarded = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => life.call(() => value.apply(target, args) as Promise<unknown>, name);
      },
    });
  return {
    ...store,
    executions: guarded(store.executions),
    waits: guarded(store.waits),
    subscribe: (subscriber) =>
      store.subscribe(
        Object.fromEntries(
          Object.entries(subscriber).map(([name, notify]) => [
            name,
            (received: never) => {
              if (!life.isOver) (notify as (received: never) => void)(received);
            },
          ]),
        ),
      ),
  };
}
