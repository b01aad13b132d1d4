import {
  appliedChanges,
  type Edge,
  effectiveVersion,
  graphWeight,
  type Node,
  Problem,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { Queues } from '../../ground/queues.ts';
import { slices } from '../../ground/slices.ts';
import { WeighedCache } from '../../ground/weighed-cache.ts';
import type { GraphChange, SavedGraph, SaveOrigin, SaveRequest, VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import type { Publishing, Rewrite } from '../../store/workflows.ts';
import { workflowNotFound } from '../access/access.ts';
import { effectiveChanges } from './effective-changes.ts';
import { checkGraphSize } from './graph-size.ts';

/**
 * Decides what changes in a graph, or throws the Problem that forbids it. It is called again with the newer graph if
 * the graph has changed meanwhile, so it must have no side effects.
 */
export type PlanEdit = (graph: VersionedGraph) => readonly GraphChange[];

/** The origin of an edit, apart from its request. */
type EditOrigin = Omit<SaveOrigin, 'request'>;

/** What is saved with the changes of a graph: their origin, and changes of the workflow itself. */
export interface SaveTogether extends EditOrigin {
  readonly request?: PlannedRequest;
  readonly fields?: Rewrite['fields'];
  /** If given, the new version is published. */
  readonly publish?: Pick<Publishing, 'note'>;
}

/** A request that may be repeated. */
interface PlannedRequest {
  readonly id: string;
  /** The index of the main change of each operation, once they are planned. */
  readonly firsts: () => readonly number[];
}

/** The graphs of workflows, cached by version: a version never changes, so a cached graph is never wrong. */
export interface Graphs {
  /** The graph at the version that the workflow's row has, or a newer one. @throws Problem `not_found` */
  current(workflow: Pick<Workflow, 'id' | 'version'>): Promise<VersionedGraph>;
  /**
   * The graph that triggers run: of the published version, or of the newest version of a live workflow. Everything that
   * starts a run without naming a version uses this one.
   * @throws Problem `not_found`
   */
  effective(workflow: VersionsOf): Promise<VersionedGraph>;
  /**
   * Changes a graph; returns the stored object of each change, and the new version. If nothing changes, nothing is
   * stored, and the version stays; updates publish their events. Edits of one workflow are queued, so only another
   * process can make one stale.
   * @throws Problem `invalid` if the graph would be too large, `conflict` if every attempt was stale
   */
  edit(workflow: Pick<Workflow, 'id' | 'version'>, plan: PlanEdit, together?: SaveTogether): Promise<SavedGraph>;
}

type VersionsOf = Pick<Workflow, 'id' | 'version' | 'publishedVersion'>;

/** For the cache of the newest graphs and for that of the published ones: room for a few of the largest graphs. */
const maxCachedGraphBytes = 48 * 1024 * 1024;

/** An attempt fails only if another process has saved meanwhile. This many in a row are very unlikely. */
const maxTries = 5;

type GraphsStore = Pick<Store, 'graphs' | 'workflows'>;

export function createGraphs(store: GraphsStore, clock: Pick<Clock, 'now'>): Graphs {
  return new CachedGraphs(store, clock);
}

class CachedGraphs implements Graphs {
  readonly #store: GraphsStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #newest = new WeighedCache<number, VersionedGraph>(maxCachedGraphBytes);
  readonly #published = new WeighedCache<number, VersionedGraph>(maxCachedGraphBytes);
  /** Queues the edits of each workflow. */
  readonly #editing = new Queues();

  constructor(store: GraphsStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  async current({ id, version }: Pick<Workflow, 'id' | 'version'>): Promise<VersionedGraph> {
    const cached = this.#newest.get(id);
    return cached === undefined || cached.version < version ? this.#load(id) : cached;
  }

  async effective(workflow: VersionsOf): Promise<VersionedGraph> {
    const { id, publishedVersion } = workflow;
    const version = effectiveVersion(workflow);
    const published = publishedVersion === null ? undefined : this.#published.get(id);
    if (published?.version === version) return published;
    const newest = publishedVersion === null ? await this.current(workflow) : this.#newest.get(id);
    if (newest?.version === version) return newest;
    // Not cached, or the row is older than the cache: only the store has the version that triggers run now.
    const graph = await this.#store.graphs.effective(id);
    if (graph === null) throw workflowNotFound();
    this.#published.set(id, graph, graphWeight(graph));
    return graph;
  }

  edit(workflow: Pick<Workflow, 'id' | 'version'>, plan: PlanEdit, together?: SaveTogether): Promise<SavedGraph> {
    return this.#editing.run(workflow.id, () => this.#edit(workflow, plan, together));
  }

  async #edit(
    workflow: Pick<Workflow, 'id' | 'version'>,
    plan: PlanEdit,
    { fields, publish, request, ...given }: SaveTogether = noOrigin,
  ): Promise<SavedGraph> {
    let graph = await this.current(workflow);
    const publishing = publish && { ...publish, authorId: given.authorId };
    const isGraphOnly = fields === undefined && publishing === undefined;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { changes, saved, sources } = effectiveChanges(graph, plan(graph));
      if (changes.length === 0 && isGraphOnly) return this.#unchanged(workflow.id, graph, saved([]));
      await slices.finish(checkGraphSize(graph, changes));
      const { version: baseVersion } = graph;
      const origin = { ...given, ...(request && { request: savedFor(request, sources) }) };
      const params = { workflowId: workflow.id, baseVersion, changes, at: this.#clock.now(), origin };
      const rewrite = { ...params, ...(fields && { fields }), ...(publishing && { publish: publishing }) };
      const { graphs, workflows } = this.#store;
      const result = await (isGraphOnly ? graphs.save(params) : workflows.rewrite(rewrite));
      if (result !== 'stale') {
        this.#keep(workflow.id, appliedChanges(graph, changes, result));
        return { version: result.version, saved: saved(result.saved) };
      }
      graph = await this.#load(workflow.id);
    }
    throw new Problem('conflict', 'Others are changing this workflow. Try again.');
  }

  /** Updates that change nothing still publish their events, as clients wait for them. */
  async #unchanged(workflowId: number, { version }: VersionedGraph, saved: SavedGraph['saved']): Promise<SavedGraph> {
    const objects = saved.filter((object) => object !== null);
    if (objects.length > 0) await this.#store.graphs.announce({ workflowId, objects, at: this.#clock.now() });
    return { version, saved };
  }

  async #load(workflowId: number): Promise<VersionedGraph> {
    const graph = await this.#store.graphs.load(workflowId);
    if (graph === null) throw workflowNotFound();
    this.#keep(workflowId, graph);
    return graph;
  }

  #keep(workflowId: number, graph: VersionedGraph): void {
    const cached = this.#newest.get(workflowId);
    // A slow read may return after a newer version was cached.
    if (cached === undefined || cached.version <= graph.version)
      this.#newest.set(workflowId, graph, graphWeight(graph));
  }
}

function savedFor({ id, firsts }: PlannedRequest, sources: readonly (Node | Edge | number)[]): SaveRequest {
  return { id, results: firsts().map((first) => sources[first] ?? -1) };
}

const noOrigin: SaveTogether = { authorId: null, restoredFrom: null };

/** The origin of an edit by a user. */
export function editOf(user: User): EditOrigin {
  return { authorId: user.id, restoredFrom: null };
}
