import { Problem, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { Queues } from '../../ground/queues.ts';
import type { GraphChange, SavedGraph, SaveOrigin, VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import type { Rewrite } from '../../store/workflows.ts';
import { workflowNotFound } from '../access/access.ts';
import { appliedChanges } from './applied-changes.ts';
import { effectiveChanges } from './effective-changes.ts';

/**
 * Decides what changes in a graph; throws the Problem that forbids it. Called again with the newer graph when
 * somebody else was faster, so it must only read what it is given.
 */
export type PlanEdit = (graph: VersionedGraph) => readonly GraphChange[];

/** What is saved with the changes of a graph: where they come from, and what changes of the workflow itself. */
export interface SaveTogether extends SaveOrigin {
  readonly fields?: Rewrite['fields'];
}

/** The graphs of workflows, kept by version: a version never changes, so what is kept is never wrong. */
export interface Graphs {
  /** The graph at the version that the workflow's row has, or a newer one. @throws Problem `not_found` */
  current(workflow: Pick<Workflow, 'id' | 'version'>): Promise<VersionedGraph>;
  /**
   * Changes a graph; returns what the store made of each change, and the new version. Without changes, or where all is
   * so already, nothing is stored, and the version stays. Edits of one workflow wait for each other, so only
   * another process can make one stale. @throws Problem `conflict` when others were faster every time
   */
  edit(workflow: Pick<Workflow, 'id' | 'version'>, plan: PlanEdit, together?: SaveTogether): Promise<SavedGraph>;
}

/** What is kept in all, in edges of some 200 bytes: about 60 MB; past it the graph unused longest goes. */
const maxWeight = 300_000;
/** A node with its config takes as much as so many edges. */
const nodeWeight = 10;

/** Each failed try means that another process did save, so this many in a row is a very busy workflow. */
const maxTries = 5;

type GraphsStore = Pick<Store, 'graphs' | 'workflows'>;

export function createGraphs(store: GraphsStore, clock: Pick<Clock, 'now'>): Graphs {
  return new KeptGraphs(store, clock);
}

class KeptGraphs implements Graphs {
  readonly #store: GraphsStore;
  readonly #clock: Pick<Clock, 'now'>;
  /** In the order of last use. */
  readonly #kept = new Map<number, VersionedGraph>();
  /** Edits of one workflow, each after the one before it. */
  readonly #editing = new Queues();
  #weight = 0;

  constructor(store: GraphsStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  async current({ id, version }: Pick<Workflow, 'id' | 'version'>): Promise<VersionedGraph> {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.version < version) return this.#load(id);
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    return kept;
  }

  edit(workflow: Pick<Workflow, 'id' | 'version'>, plan: PlanEdit, together?: SaveTogether): Promise<SavedGraph> {
    return this.#editing.run(workflow.id, () => this.#edit(workflow, plan, together));
  }

  async #edit(
    workflow: Pick<Workflow, 'id' | 'version'>,
    plan: PlanEdit,
    { fields, ...origin }: SaveTogether = noOrigin,
  ): Promise<SavedGraph> {
    let graph = await this.current(workflow);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { changes, saved } = effectiveChanges(graph, plan(graph));
      if (changes.length === 0 && fields === undefined) return { version: graph.version, saved: saved([]) };
      const { version: baseVersion } = graph;
      const params = {
        workflowId: workflow.id,
        baseVersion,
        changes,
        at: this.#clock.now(),
        origin,
      };
      const { graphs, workflows } = this.#store;
      const result = await (fields === undefined ? graphs.save(params) : workflows.rewrite({ ...params, fields }));
      if (result !== 'stale') {
        this.#keep(workflow.id, appliedChanges(graph, changes, result));
        return { version: result.version, saved: saved(result.saved) };
      }
      graph = await this.#load(workflow.id);
    }
    throw new Problem('conflict', 'Others are changing this workflow. Try again.');
  }

  async #load(workflowId: number): Promise<VersionedGraph> {
    const graph = await this.#store.graphs.load(workflowId);
    if (graph === null) throw workflowNotFound();
    this.#keep(workflowId, graph);
    return graph;
  }

  #keep(workflowId: number, graph: VersionedGraph): void {
    const kept = this.#kept.get(workflowId);
    // A slow read may come back after a newer version was kept.
    if (kept !== undefined && kept.version > graph.version) return;
    this.#drop(workflowId);
    this.#kept.set(workflowId, graph);
    this.#weight += weight(graph);
    for (const [oldest] of this.#kept) {
      if (this.#weight <= maxWeight) return;
      this.#drop(oldest);
    }
  }

  #drop(workflowId: number): void {
    const graph = this.#kept.get(workflowId);
    if (graph === undefined) return;
    this.#kept.delete(workflowId);
    this.#weight -= weight(graph);
  }
}

function weight(graph: VersionedGraph): number {
  return 1 + graph.nodes.length * nodeWeight + graph.edges.length;
}

const noOrigin: SaveOrigin = { authorId: null, restoredFrom: null };

/** A save that a user makes by an edit. */
export function editOf(user: User): SaveOrigin {
  return { authorId: user.id, restoredFrom: null };
}
