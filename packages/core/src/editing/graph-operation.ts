import type { EdgeFields, NodeFields } from './graph-change.ts';

/** A config from a request, not yet checked. */
export type GivenConfig = Readonly<Record<string, unknown>>;

/** A node to create; without a name it gets a generated one. */
export type NewNode = Omit<NodeFields, 'nodeId' | 'config'> & {
  readonly nodeId?: string;
  readonly config: GivenConfig;
};

/** The changes of a node. */
export type NodeChanges = Partial<Omit<NodeFields, 'config'>> & { readonly config?: GivenConfig };

/** One of several edits that are applied together. */
export type GraphOperation =
  | { readonly op: 'create_node'; readonly node: NewNode }
  | { readonly op: 'update_node'; readonly nodeId: string; readonly changes: NodeChanges }
  | { readonly op: 'delete_node'; readonly nodeId: string }
  | { readonly op: 'create_edge'; readonly edge: EdgeFields }
  | { readonly op: 'update_edge'; readonly edgeId: number; readonly changes: Partial<EdgeFields> }
  | { readonly op: 'delete_edge'; readonly edgeId: number };
