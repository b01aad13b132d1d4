import type { Edge, Graph, Instant, Node } from '@millrace/core';
import type { Page } from './page.ts';

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
  /**
   * The graph that triggers run, read together with the row that selects it: the graph of the published version, or the
   * newest graph of a live workflow. Null if the workflow was deleted.
   */
  effective(workflowId: number): Promise<VersionedGraph | null>;
  /** The graph of a version that a run pinned or that is published; null for any other version. */
  pinned(params: { workflowId: number; version: number }): Promise<Graph | null>;
}

/** A graph with the version that a save must be based on. */
export interface VersionedGraph extends Graph {
  readonly version: number;
}

/** The origin of a save. */
export interface SaveOrigin {
  readonly authorId: number | null;
  /** The version whose graph it restores. */
  readonly restoredFrom: number | null;
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

/** The result of a save. */
export interface SavedGraph {
  readonly version: number;
  /**
   * For each change that creates or updates an object, the stored object, in the order of the changes; null for
   * deletions.
   */
  readonly saved: readonly (Node | Edge | null)[];
}

/** The fields of a node that a caller sets. */
export type NodeFields = Omit<Node, 'id' | 'updatedAt'>;

/** The fields of an edge that a caller sets. */
export type EdgeFields = Omit<Edge, 'id'>;

/**
 * One change of a save. An object to be created may have an `id`: from `firstNewId` on it is a temporary id, which
 * later changes of the same save can use as their `id` or as the model in a config's `llm_model_config_id`; below that
 * it is the id that the object had before it was deleted.
 */
export type GraphChange =
  | { readonly kind: 'create_node'; readonly node: NodeFields; readonly id?: number }
  | { readonly kind: 'update_node'; readonly id: number; readonly node: NodeFields }
  | { readonly kind: 'delete_node'; readonly id: number; readonly nodeId: string }
  | { readonly kind: 'create_edge'; readonly edge: EdgeFields; readonly id?: number }
  | { readonly kind: 'update_edge'; readonly id: number; readonly edge: EdgeFields }
  | { readonly kind: 'delete_edge'; readonly id: number };
