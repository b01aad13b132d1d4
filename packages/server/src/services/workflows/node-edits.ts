import {
  type Catalogue,
  type Edge,
  edgesAt,
  findNode,
  firstNewId,
  type Graph,
  isObject,
  type Json,
  type JsonObject,
  maxNodes,
  modelIdOf,
  type Node,
  Problem,
  type Rename,
  renameInConfig,
  renameInEdges,
} from '@millrace/core';
import { newNodeSuffix } from '../../ground/ids.ts';
import type { GraphChange, NodeFields } from '../../store/graphs.ts';
import { syncModelLinks } from './edge-edits.ts';
import { checkedConfig, expectComponent, type GivenConfig, invalidField } from './node-config.ts';

/** A node to make; without a name it gets one. */
export type NewNode = Omit<NodeFields, 'nodeId' | 'config'> & {
  readonly nodeId?: string;
  readonly config: GivenConfig;
};

/** What to change in a node. */
export type NodeChanges = Partial<Omit<NodeFields, 'config'>> & { readonly config?: GivenConfig };

interface Creation {
  readonly node: NewNode;
  /** Its stand-in until it has an id of its own. */
  readonly id?: number;
}

/**
 * A new node. Edges may come before their nodes, so a model connection that waited for this one is made with it.
 * @throws Problem `invalid`, or `conflict` when the name is taken
 */
export function planNewNode(
  catalogue: Catalogue,
  graph: Graph,
  { node, id = firstNewId }: Creation,
): readonly GraphChange[] {
  const config = checkedConfig(node.config, expectComponent(catalogue, node.componentType));
  const fields: NodeFields = { ...node, config, nodeId: freeName(graph, node) };
  // The moment of its making is the store's to say.
  const nodes = [...graph.nodes, { ...fields, id, updatedAt: 0 }];
  const links = syncModelLinks({ ...graph, nodes }, edgesAt(graph, fields.nodeId), () => graph.edges);
  const { own, others } = apart(links, id);
  const link = config.llm_model_config_id ?? null;
  if (link !== null && link !== modelIdOf({ ...graph, nodes }, fields.nodeId)) throw linkFollows();
  return [{ kind: 'create_node', node: own ?? fields, id }, ...others];
}

interface Links {
  /** The node with its own link, which is a part of its making or its new name rather than a change after it. */
  readonly own: NodeFields | undefined;
  readonly others: readonly GraphChange[];
}

function apart(links: readonly GraphChange[], id: number): Links {
  const isOwn = (link: GraphChange) => link.kind === 'update_node' && link.id === id;
  const own = links.find(isOwn);
  return { own: own?.kind === 'update_node' ? own.node : undefined, others: links.filter((link) => !isOwn(link)) };
}

/** The node's name, if it is free, or one that is made from its type. */
function freeName(graph: Graph, { nodeId, componentType }: NewNode): string {
  if (graph.nodes.length >= maxNodes) throw new Problem('invalid', `A workflow may have at most ${maxNodes} nodes.`);
  if (nodeId !== undefined) {
    rejectTaken(graph, nodeId);
    return nodeId;
  }
  let name = `${componentType}_${newNodeSuffix()}`;
  while (findNode(graph, name) !== undefined) name = `${componentType}_${newNodeSuffix()}`;
  return name;
}

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
  const link = config.llm_model_config_id ?? null;
  const isLinked = link === before.config.llm_model_config_id || link === modelIdOf(graph, nodeId);
  if (!isLinked) throw linkFollows();
  const after: Node = { ...before, ...changes, config };
  if (after.nodeId === nodeId) return [updateOf(after)];
  rejectTaken(graph, after.nodeId);
  return renameIn({ graph, catalogue, after, rename: { from: nodeId, to: after.nodeId } });
}

/** A link that the edges do not make would be taken away by the next change of them. */
function linkFollows(): Problem {
  const words = "Follows the edge labelled 'llm' that ends at the node: add, move or remove that edge instead";
  return invalidField(['config', 'llm_model_config_id'], words);
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
  const renamed = { ...after, config: renameInConfig(after, rename, catalogue) };
  const nodes = graph.nodes.map((node) => {
    if (node.id === after.id) return renamed;
    const config = renameInConfig(node, rename, catalogue);
    return config === node.config ? node : { ...node, config };
  });
  const others = nodes.filter((node, index) => node !== renamed && node !== graph.nodes[index]);
  const edges = new Map(renameInEdges(graph, rename).map((edge) => [edge.id, edge]));
  const renamedEdge = (edge: Edge): Edge => edges.get(edge.id) ?? edge;
  // Model connections that waited for a node of this name are made now; one may have waited at the node itself.
  const waiting = edgesAt(graph, rename.to).map(renamedEdge);
  const links = syncModelLinks({ nodes, edges: graph.edges }, waiting, () => graph.edges.map(renamedEdge));
  const linked = apart(links, after.id);
  return [
    updateOf({ ...renamed, ...linked.own }),
    ...others.map(updateOf),
    ...[...edges.values()].map((edge): GraphChange => ({ kind: 'update_edge', id: edge.id, edge })),
    ...linked.others,
  ];
}

function updateOf(node: Node): GraphChange {
  return { kind: 'update_node', id: node.id, node };
}

/** Keys given replace those stored, in the config and in its `extra_config`; the others stay. */
function mergedConfig(catalogue: Catalogue, before: Node, given: GivenConfig): JsonObject {
  const stored = before.config.extra_config ?? {};
  // It came as JSON; what is no object is for the config's own check to refuse.
  const changes = given.extra_config as Json | undefined;
  const merged = isObject(changes) && isObject(stored) && { extra_config: mergedExtra(stored, changes) };
  return checkedConfig({ ...before.config, ...given, ...merged }, expectComponent(catalogue, before.componentType));
}

/** A key that is given as null is removed; a null that is stored stays. */
function mergedExtra(stored: JsonObject, changes: JsonObject): JsonObject {
  const all = Object.entries({ ...stored, ...changes });
  return Object.fromEntries(all.filter(([key]) => !(Object.hasOwn(changes, key) && changes[key] === null)));
}

/** A node goes, its edges before it. */
export function planRemoval(graph: Graph, node: Node): readonly GraphChange[] {
  const gone = edgesAt(graph, node.nodeId);
  const deletedEdges = new Set(gone);
  const nodes = graph.nodes.filter((other) => other.id !== node.id);
  const edgesAfter = () => graph.edges.filter((edge) => !deletedEdges.has(edge));
  return [
    ...gone.map(({ id }): GraphChange => ({ kind: 'delete_edge', id })),
    ...syncModelLinks({ ...graph, nodes }, gone, edgesAfter),
    { kind: 'delete_node', id: node.id, nodeId: node.nodeId },
  ];
}

/** The node of a name. @throws Problem `not_found` */
export function expectNode(graph: Graph, nodeId: string): Node {
  const node = findNode(graph, nodeId);
  if (node === undefined) throw nodeNotFound();
  return node;
}

/** What is said of a node that is not there. */
export function nodeNotFound(): Problem {
  return new Problem('not_found', 'Node not found.');
}

/** @throws Problem `conflict` when a node has that name */
function rejectTaken(graph: Graph, nodeId: string): void {
  if (findNode(graph, nodeId) === undefined) return;
  throw new Problem('conflict', `Node with id '${nodeId}' already exists.`);
}
