import type { Edge, Graph, GraphChange, Instant, Node, SavedGraph, VersionedGraph } from '@millrace/core';
import type { Page } from './page.ts';

export type { EdgeFields, GraphChange, NodeFields, SavedGraph, VersionedGraph } from '@millrace/core';

/** The nodes and edges of workflows. */
export interface GraphStore {
  /** Nodes and edges by id, with the workflow's current version. Null if the workflow was deleted. */
  load(workflowId: number): Promise<VersionedGraph | null>;
  /**
   * Applies the changes in one transaction if the graph is still at `baseVersion`: the version increases by one, the
   * workflow's counts and updated_at are updated, and each change publishes its event. Otherwise changes nothing.
   * Changes are applied as given: the caller checks the rules.
   */
  save(params: {
    workflowId: number;
    baseVersion: number;
    changes: readonly GraphChange[];
    at: Instant;
    origin?: SaveOrigin;
  }): Promise<SavedGraph | 'stale'>;
  /** Publishes `node_updated` or `edge_updated` for objects that an update did not change. Changes nothing. */
  announce(params: { workflowId: number; objects: readonly (Node | Edge)[]; at: Instant }): Promise<void>;
  /**
   * Each save creates a version, and so does creating the workflow. Newest first. The oldest are pruned; the published
   * version never is.
   */
  versions(params: { workflowId: number; limit: number; offset: number }): Promise<Page<GraphVersion>>;
  /** The graph at a version; null if the workflow was deleted, never had that version, or the version was pruned. */
  at(params: { workflowId: number; version: number }): Promise<{ info: GraphVersion; graph: Graph } | null>;
  /** What the save at `version` did, if a request with this id made it; null otherwise, or if the version was pruned. */
  savedRequest(params: { workflowId: number; version: number; requestId: string }): Promise<SavedRequest | null>;
  /**
   * The graph that triggers run, read together with the row that selects it: the graph of the published version, or the
   * newest graph of a live workflow. Null if the workflow was deleted.
   */
  effective(workflowId: number): Promise<VersionedGraph | null>;
  /** The graph of a version that a run pinned or that is published; null for any other version. */
  pinned(params: { workflowId: number; version: number }): Promise<Graph | null>;
}

/** The origin of a save. */
export interface SaveOrigin {
  readonly authorId: number | null;
  /** The version whose graph it restores. */
  readonly restoredFrom: number | null;
  /** The request that makes it, if its client may repeat it. */
  readonly request?: SaveRequest;
}

/** A request that may be repeated when its answer was lost. */
export interface SaveRequest {
  readonly id: string;
  /** For each operation, the object that it creates or updates: the index of its change, or the stored object. */
  readonly results: readonly (number | Node | Edge)[];
}

/** The answer to a request that was saved. */
export interface SavedRequest {
  readonly version: number;
  /** For each operation the object that it created or updated, as in that version; null for a deletion. */
  readonly objects: readonly (Node | Edge | null)[];
}

/** One version of a graph and what its save changed. */
export interface GraphVersion {
  readonly version: number;
  readonly createdAt: Instant;
  /** The user's name; null if no user created it, or the user was deleted. */
  readonly author: string | null;
  readonly restoredFrom: number | null;
  readonly nodes: ChangeCounts;
  readonly edges: ChangeCounts;
  /** Its last publication; null for a version that was never published. */
  readonly publication: Publication | null;
}

/** Who published a version, when, and with which note. */
export interface Publication {
  readonly at: Instant;
  /** The user's name; null if the user was deleted. */
  readonly author: string | null;
  readonly note: string | null;
}

/** The number of changes of each kind in a save. */
export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}
