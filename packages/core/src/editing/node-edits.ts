import { Problem } from '../errors.ts';
import { type Edge, findNode, firstNewId, type Graph, type Node } from '../graph/graph.ts';
import { edgesAt, modelIdOf, type Rename, renameInEdges } from '../graph/graph-edit.ts';
import { maxNodes } from '../graph/graph-limits.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { syncModelLinks } from './edge-edits.ts';
import type { EditRules } from './edit-rules.ts';
import type { GraphChange, NodeFields } from './graph-change.ts';
import type { GivenConfig, NewNode, NodeChanges } from './graph-operation.ts';
import { invalidField } from './invalid-field.ts';
import { RenameBudget } from './rename-budget.ts';

interface Creation {
  readonly node: NewNode;
  /** Its temporary id until the store assigns one. */
  readonly id?: number;
}

/**
 * A new node. Edges may exist before their nodes, so the model links of this node are created with it.
 * @throws Problem `invalid`, or `conflict` if the name is taken
 */
export function planNewNode(
  rules: EditRules,
  graph: Graph,
  { node, id = firstNewId }: Creation,
): readonly GraphChange[] {
  const config = rules.config(node.config, node.componentType);
  const fields: NodeFields = { ...node, config, nodeId: freeName(rules, graph, node) };
  // The store sets the time of the creation.
  const nodes = [...graph.nodes, { ...fields, id, updatedAt: 0 }];
  const links = syncModelLinks({ ...graph, nodes }, edgesAt(graph, fields.nodeId), () => graph.edges);
  const { own, others } = apart(links, id);
  const link = config.llm_model_config_id ?? null;
  if (link !== null && link !== modelIdOf({ ...graph, nodes }, fields.nodeId)) throw linkFollows();
  return [{ kind: 'create_node', node: own ?? fields, id }, ...others];
}

interface Links {
  /** The node with its own link, which is part of its creation or renaming, not a later change. */
  readonly own: NodeFields | undefined;
  readonly others: readonly GraphChange[];
}

function apart(links: readonly GraphChange[], id: number): Links {
  const isOwn = (link: GraphChange) => link.kind === 'update_node' && link.id === id;
  const own = links.find(isOwn);
  return { own: own?.kind === 'update_node' ? own.node : undefined, others: links.filter((link) => !isOwn(link)) };
}

/** The node's name, if it is free, or a name generated from its type. */
function freeName(rules: EditRules, graph: Graph, { nodeId, componentType }: NewNode): string {
  if (graph.nodes.length >= maxNodes) throw new Problem('invalid', `A workflow may have at most ${maxNodes} nodes.`);
  if (nodeId !== undefined) {
    rejectTaken(graph, nodeId);
    return nodeId;
  }
  let name = `${componentType}_${rules.nameSuffix()}`;
  while (findNode(graph, name) !== undefined) name = `${componentType}_${rules.nameSuffix()}`;
  return name;
}

interface Update {
  readonly nodeId: string;
  readonly changes: NodeChanges;
}

/**
 * A changed node, and everything that uses its name.
 * @param renames what the request reads to rename nodes
 * @throws Problem `invalid`, or `conflict` if the name is taken
 */
export function planUpdate(
  rules: EditRules,
  graph: Graph,
  { nodeId, changes }: Update,
  renames = new RenameBudget(),
): readonly GraphChange[] {
  const before = expectNode(graph, nodeId);
  if (changes.componentType !== undefined && changes.componentType !== before.componentType) {
    throw invalidField(['component_type'], 'Cannot change: delete the node and create another');
  }
  const config = changes.config === undefined ? before.config : mergedConfig(rules, before, changes.config);
  const link = config.llm_model_config_id ?? null;
  const isLinked = link === before.config.llm_model_config_id || link === modelIdOf(graph, nodeId);
  if (!isLinked) throw linkFollows();
  const after: Node = { ...before, ...changes, config };
  if (after.nodeId === nodeId) return [updateOf(after)];
  rejectTaken(graph, after.nodeId);
  renames.spend(graph, nodeId);
  return renameIn({ graph, rules, after, rename: { from: nodeId, to: after.nodeId } });
}

/** The next change of the edges would remove a link that does not follow from them. */
function linkFollows(): Problem {
  const words = "Follows the edge labelled 'llm' that ends at the node: add, move or remove that edge instead";
  return invalidField(['config', 'llm_model_config_id'], words);
}

interface Renaming {
  readonly graph: Graph;
  readonly rules: EditRules;
  /** The node after the change. */
  readonly after: Node;
  readonly rename: Rename;
}

/** Changes that rename a node, also everywhere the graph uses its name. */
function renameIn({ graph, rules, after, rename }: Renaming): readonly GraphChange[] {
  const renamed = { ...after, config: rules.renamed(after, rename) };
  const nodes = graph.nodes.map((node) => {
    if (node.id === after.id) return renamed;
    const config = rules.renamed(node, rename);
    return config === node.config ? node : { ...node, config };
  });
  const others = nodes.filter((node, index) => node !== renamed && node !== graph.nodes[index]);
  const edges = new Map(renameInEdges(graph, rename).map((edge) => [edge.id, edge]));
  const renamedEdge = (edge: Edge): Edge => edges.get(edge.id) ?? edge;
  // Edges that already use the new name become model connections now; one of them may end at the node itself.
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

/** Given keys replace the stored ones, in the config and in its `extra_config`; the others stay. */
function mergedConfig(rules: EditRules, before: Node, given: GivenConfig): JsonObject {
  const stored = before.config.extra_config ?? {};
  // It was parsed from JSON; the config's own check rejects other values than objects.
  const changes = given.extra_config as Json | undefined;
  const merged = isObject(changes) && isObject(stored) && { extra_config: mergedExtra(stored, changes) };
  return rules.config({ ...before.config, ...given, ...merged }, before.componentType);
}

/** A key that is given as null is removed; a stored null stays. */
function mergedExtra(stored: JsonObject, changes: JsonObject): JsonObject {
  const all = Object.entries({ ...stored, ...changes });
  return Object.fromEntries(all.filter(([key]) => !(Object.hasOwn(changes, key) && changes[key] === null)));
}

/** Deletes a node, after its edges. */
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

/** The node with this name. @throws Problem `not_found` */
export function expectNode(graph: Graph, nodeId: string): Node {
  const node = findNode(graph, nodeId);
  if (node === undefined) throw nodeNotFound();
  return node;
}

/** The error for a node that does not exist. */
export function nodeNotFound(): Problem {
  return new Problem('not_found', 'Node not found.');
}

/** @throws Problem `conflict` if a node has that name */
function rejectTaken(graph: Graph, nodeId: string): void {
  if (findNode(graph, nodeId) === undefined) return;
  throw new Problem('conflict', `Node with id '${nodeId}' already exists.`);
}
