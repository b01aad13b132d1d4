import type { Edge, Graph, Instant, Node } from '@millrace/core';
import type { Page } from './page.ts';

/** The nodes and edges of workflows. */
export interface GraphStore {
  /** Nodes and edges by id, with the workflow's current version. Null when the workflow is gone. */
  load(workflowId: number): Promise<VersionedGraph | null>;
  /**
   * Applies the changes in one transaction if the graph is still at `baseVersion`: the version goes up by one, the
   * workflow's counts and updated_at follow, and each change publishes its event. Otherwise changes nothing.
   * Changes are applied as given: the rules are the caller's to check.
   */
  save(params: {
    workflowId: number;
    baseVersion: number;
    changes: readonly GraphChange[];
    at: Instant;
    origin?: SaveOrigin;
  }): Promise<SavedGraph | 'stale'>;
  /** Publishes `node_updated` or `edge_updated` of objects that an update left as they are. Changes nothing. */
  announce(params: { workflowId: number; objects: readonly (Node | Edge)[]; at: Instant }): Promise<void>;
  /**
   * Each save makes a version; so does the making of the workflow. Newest first. The oldest are pruned; the published
   * version never is.
   */
  versions(params: { workflowId: number; limit: number; offset: number }): Promise<Page<GraphVersion>>;
  /** The graph as it was at a version; null when the workflow is gone, or never had that version, or it was pruned. */
  at(params: { workflowId: number; version: number }): Promise<{ info: GraphVersion; graph: Graph } | null>;
  /**
   * The graph that triggers run, read together with the row that names it: the published version's, or the newest one of
   * a live workflow. Null when the workflow is gone.
   */
  effective(workflowId: number): Promise<VersionedGraph | null>;
  /** The graph of a version that a run pinned, or that is published; null for any other. */
  pinned(params: { workflowId: number; version: number }): Promise<Graph | null>;
}

/** A graph with the version that a save must be based on. */
export interface VersionedGraph extends Graph {
  readonly version: number;
}

/** Where a save comes from. */
export interface SaveOrigin {
  readonly authorId: number | null;
  /** The version whose graph it brings back. */
  readonly restoredFrom: number | null;
}

/** One version of a graph: what its save changed. */
export interface GraphVersion {
  readonly version: number;
  readonly createdAt: Instant;
  /** The user's name; null where no user made it, or one who is deleted. */
  readonly author: string | null;
  readonly restoredFrom: number | null;
  readonly nodes: ChangeCounts;
  readonly edges: ChangeCounts;
  /** Its last publication; null for a version that was never published. */
  readonly publication: Publication | null;
}

/** Who published a version, when, and what they noted. */
export interface Publication {
  readonly at: Instant;
  /** The user's name; null when the user was deleted. */
  readonly author: string | null;
  readonly note: string | null;
}

/** How many changes of each kind a save had. */
export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** What a save made. */
export interface SavedGraph {
  readonly version: number;
  /** For each change that creates or updates, the stored object, in the order of the changes; null for deletions. */
  readonly saved: readonly (Node | Edge | null)[];
}

/** What a caller sets of a node. */
export type NodeFields = Omit<Node, 'id' | 'updatedAt'>;

/** What a caller sets of an edge. */
export type EdgeFields = Omit<Edge, 'id'>;

/**
 * One step of a save. What it creates may have an `id`: from `firstNewId` on a stand-in by which later steps of the same
 * save name it, as their `id` or as the model in a config's `llm_model_config_id`; below, the one that it had before it
 * was deleted.
 */
export type GraphChange =
  | { readonly kind: 'create_node'; readonly node: NodeFields; readonly id?: number }
  | { readonly kind: 'update_node'; readonly id: number; readonly node: NodeFields }
  | { readonly kind: 'delete_node'; readonly id: number; readonly nodeId: string }
  | { readonly kind: 'create_edge'; readonly edge: EdgeFields; readonly id?: number }
  | { readonly kind: 'update_edge'; readonly id: number; readonly edge: EdgeFields }
  | { readonly kind: 'delete_edge'; readonly id: number };
