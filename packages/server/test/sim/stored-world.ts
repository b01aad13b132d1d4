import { isEnded, type JournalEntry, type Json, standingEntries } from '@millrace/core';
import type { RandomWorld } from '@millrace/core/testkit';
import type { ClaimedRun, NewExecution } from '../../src/store/executions.ts';
import type { VersionedGraph } from '../../src/store/graphs.ts';
import type { Store } from '../../src/store/store.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import type { Family } from './seen.ts';
import type { ModelKey } from './state-model.ts';

interface StoredWorkflow {
  readonly workflowId: number;
  readonly graph: VersionedGraph;
}

/** Ids that this process has assigned: no two runs have the same one. */
let ids = 0;

function newId(): string {
  ids += 1;
  return `01900000-0000-7000-8000-${ids.toString(16).padStart(12, '0')}`;
}

/** The variable that state steps read. */
const greeting = { name: 'greeting', isSecret: false, allowedHosts: [], sealed: null } as const;

/** The graphs of a world as workflows of one owner, and their runs. */
export class StoredWorld {
  /** The id of the simulated run. */
  readonly executionId = newId();
  /** The ids of the runs that it requested, whether or not they were stored. */
  readonly started = new Set<string>();
  readonly #store: Store;
  readonly #now: () => number;
  #main: StoredWorkflow | null = null;
  #child: StoredWorkflow | null = null;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Stores the graphs, and a run. */
  async accept(world: RandomWorld): Promise<void> {
    const user = await this.#store.users.insert({ username: this.executionId, isAdmin: false, at: this.#now() });
    if (user === null) throw new Error('the user could not be stored');
    if (world.child !== null) this.#child = await this.#addWorkflow(world.child, user.id);
    this.#main = await this.#addWorkflow(world, user.id);
    const run = this.#newRun(this.#main, this.executionId);
    await this.#store.executions.accept({ ...run, triggerNodeId: 'n0' });
  }

  /** A run of the other workflow, to be stored with the step that starts it. */
  startChild({ id: executionId, depth }: ClaimedRun): NewExecution {
    if (this.#child === null) throw new Error('there is no other workflow');
    const id = newId();
    this.started.add(id);
    return { ...this.#newRun(this.#child, id), triggerNodeId: 'c0', parent: { executionId, depth: depth + 1 } };
  }

  #newRun({ workflowId, graph }: StoredWorkflow, id: string): Omit<NewExecution, 'triggerNodeId'> {
    const trigger = { payload: null, text: '' };
    return { id, workflowId, graph, trigger, idempotency: null, at: this.#now() };
  }

  async #addWorkflow({ graph: { nodes, edges } }: RandomWorld, ownerId: number): Promise<StoredWorkflow> {
    const at = this.#now();
    const slug = newId();
    const inserted = await this.#store.workflows.insert({ ...blankWorkflow, name: slug, slug, ownerId, at });
    if (inserted === 'slug_taken') throw new Error('the slug is taken');
    const changes = [
      ...nodes.map(({ id: _id, updatedAt: _at, ...node }) => ({ kind: 'create_node', node }) as const),
      ...edges.map(({ id: _id, ...edge }) => ({ kind: 'create_edge', edge }) as const),
    ];
    const { id: workflowId, version: baseVersion } = inserted;
    await this.#store.graphs.save({ workflowId, baseVersion, changes, at });
    await this.#store.variables.insert({ ...greeting, workflowId, value: 'hello', most: 1, mostLength: 100 });
    const graph = await this.#store.graphs.load(workflowId);
    if (graph === null) throw new Error('the graph is missing');
    return { workflowId, graph };
  }

  /** The journal of each run, read once. */
  async journals(): Promise<ReadonlyMap<string, readonly JournalEntry[]>> {
    const journals = new Map<string, readonly JournalEntry[]>();
    for (const id of [this.executionId, ...this.started]) {
      const detail = await this.#store.executions.detail(id);
      journals.set(id, detail?.journal ?? []);
    }
    return journals;
  }

  /** The facts of all journals that count. */
  family(journals: ReadonlyMap<string, readonly JournalEntry[]>): Family {
    const standing = [...journals].map(([id, entries]) => {
      return [id, standingEntries(entries).map(({ fact }) => fact)] as const;
    });
    // A run without facts was not stored.
    const children = standing.filter(([id, facts]) => id !== this.executionId && facts.length > 0);
    return { journal: new Map(standing).get(this.executionId) ?? [], children: new Map(children) };
  }

  /** Changes the variable of both workflows: runs that have started read its former value. */
  async changeVariables(): Promise<void> {
    for (const workflow of [this.#main, this.#child]) {
      if (workflow === null) continue;
      const { workflowId } = workflow;
      const changed = { ...greeting, workflowId, value: 'changed', revision: 1 };
      await this.#store.variables.update({ ...changed, before: greeting.name, mostLength: 100 });
    }
  }

  /** A stored value of state; null if there is none. */
  async value({ workflowId, key }: ModelKey): Promise<Json> {
    const own = workflowId ?? this.#main?.workflowId ?? 0;
    const scope = workflowId === null ? 'shared' : null;
    return (await this.#store.state.read({ workflowId: own, scope, key, at: this.#now() }))?.value ?? null;
  }

  /** The started runs that were stored and have not ended. */
  async openChildren(): Promise<readonly string[]> {
    const open: string[] = [];
    for (const id of this.started) {
      const run = await this.#store.executions.byId(id);
      if (run !== null && !isEnded(run.status)) open.push(id);
    }
    return open;
  }

  /** Runs that are still open must not affect the next simulation on this store. */
  async cancelRest(): Promise<void> {
    await this.#store.executions.recover();
    for (const id of [this.executionId, ...this.started]) {
      await this.#store.executions.cancel({ id, at: this.#now() });
    }
  }
}
