import {
  type Catalogue,
  edgesAt,
  findNode,
  type Graph,
  type JsonObject,
  type Node,
  Problem,
  type Rename,
  renameInConfig,
  renameInEdges,
} from '@millrace/core';
import type { GraphChange, NodeFields } from '../store/store.ts';
import { relink } from './edges.ts';
import { checkedConfig, expectComponent, type GivenConfig, invalidField } from './node-config.ts';

/** What to change in a node. */
export type NodeChanges = Partial<Omit<NodeFields, 'config'>> & { readonly config?: GivenConfig };

interface Update {
  readonly nodeId: string;
  readonly changes: NodeChanges;
}

/** A node with its changes, and whatever uses its name. @throws Problem `invalid`, or `conflict` for a name that is taken */
export function planUpdate(catalogue: Catalogue, graph: Graph, { nodeId, changes }: Update): readonly GraphChange[] {
  const before = expectNode(graph, nodeId);
  if (changes.componentType !== undefined && changes.componentType !== before.componentType) {
    throw invalidField(['component_type'], 'Cannot change: delete the node and create another');
  }
  const config = changes.config === undefined ? before.config : mergedConfig(catalogue, before, changes.config);
  const after: Node = { ...before, ...changes, config };
  if (after.nodeId === nodeId) return [updateOf(after)];
  refuseTaken(graph, after.nodeId);
  return renameIn({ graph, catalogue, after, rename: { from: nodeId, to: after.nodeId } });
}

interface Renaming {
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  /** The node as it will be. */
  readonly after: Node;
  readonly rename: Rename;
}

/** Changes that give a node its new name, and write it wherever the graph uses the old one. */
function renameIn({ graph, catalogue, after, rename }: Renaming): readonly GraphChange[] {
  const others = graph.nodes.flatMap((node) => {
    const config = renameInConfig(node, rename, catalogue);
    return node.id === after.id || config === node.config ? [] : [updateOf({ ...node, config })];
  });
  const edges = renameInEdges(graph, rename);
  return [
    updateOf({ ...after, config: renameInConfig(after, rename, catalogue) }),
    ...others,
    ...edges.map((edge): GraphChange => ({ kind: 'update_edge', id: edge.id, edge })),
  ];
}

function updateOf(node: Node): GraphChange {
  return { kind: 'update_node', id: node.id, node };
}

/** Keys given replace those stored; the others stay. `extra_config` is one key, so that keys in it can be removed. */
function mergedConfig(catalogue: Catalogue, before: Node, given: GivenConfig): JsonObject {
  return checkedConfig({ ...before.config, ...given }, expectComponent(catalogue, before.componentType));
}

/** A node goes, its edges before it. */
export function planRemoval(graph: Graph, node: Node): readonly GraphChange[] {
  const gone = edgesAt(graph, node.nodeId);
  const goneEdges = new Set(gone);
  const nodes = graph.nodes.filter((other) => other.id !== node.id);
  const edgesAfter = () => graph.edges.filter((edge) => !goneEdges.has(edge));
  return [
    ...gone.map(({ id }): GraphChange => ({ kind: 'delete_edge', id })),
    ...relink({ ...graph, nodes }, gone, edgesAfter),
    { kind: 'delete_node', id: node.id, nodeId: node.nodeId },
  ];
}

/** The node of a name. @throws Problem `not_found` */
export function expectNode(graph: Graph, nodeId: string): Node {
  const node = findNode(graph, nodeId);
  if (node === undefined) throw new Problem('not_found', 'Node not found.');
  return node;
}

/** @throws Problem `conflict` when a node has that name */
export function refuseTaken(graph: Graph, nodeId: string): void {
  if (findNode(graph, nodeId) === undefined) return;
  throw new Problem('conflict', `Node with id '${nodeId}' already exists.`);
}
