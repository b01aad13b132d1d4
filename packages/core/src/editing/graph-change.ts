import type { Edge, Graph, Node } from '../graph/graph.ts';

/** A graph with the version that a save must be based on. */
export interface VersionedGraph extends Graph {
  readonly version: number;
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

/** The result of a save. */
export interface SavedGraph {
  readonly version: number;
  /**
   * For each change that creates or updates an object, the stored object, in the order of the changes; null for
   * deletions.
   */
  readonly saved: readonly (Node | Edge | null)[];
}
