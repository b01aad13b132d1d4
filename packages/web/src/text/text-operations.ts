import {
  differenceTo,
  type Edge,
  type EdgeFields,
  findNode,
  type Graph,
  isObject,
  isSameJson,
  type Json,
  type JsonObject,
  type Node,
  type NodeChanges,
  sameEdge,
  type TextGraph,
} from '@millrace/core/editing';
import type { DraftOperation } from '../state/draft/operation.ts';
import { keyIn, type View } from '../state/draft/view.ts';

/**
 * What an edit of the text changes in the draft. Only what differs between the two texts is changed, so edits on the
 * canvas that the text does not contain yet stay.
 */
export function textOperations(
  before: Graph,
  after: TextGraph,
  { view, newKey }: { readonly view: View; readonly newKey: () => string },
): readonly DraftOperation[] {
  const names = renames(before, after.graph);
  const renamed = withNames(before, names);
  const difference = differenceTo(renamed, after);
  // The draft has the new names after the first operations.
  const draft = withNames(view.graph, names);
  const keyOf = (edge: Edge): readonly string[] => {
    const own = sameEdge(draft, edge);
    return own === undefined ? [] : [keyIn(view, own.id)];
  };
  const known = new Map(renamed.edges.map((edge) => [edge.id, edge]));
  return [
    ...[...names].map(([nodeId, name]): DraftOperation => ({ op: 'update_node', nodeId, changes: { nodeId: name } })),
    ...difference.deletedEdges.flatMap(keyOf).map((key): DraftOperation => ({ op: 'delete_edge', key })),
    ...difference.deletedNodes
      .filter(({ nodeId }) => findNode(draft, nodeId) !== undefined)
      .map(({ nodeId }): DraftOperation => ({ op: 'delete_node', nodeId })),
    ...difference.newNodes.map((node): DraftOperation => ({ op: 'create_node', node: withoutLink(node) })),
    ...difference.changedNodes
      .filter(({ nodeId }) => findNode(draft, nodeId) !== undefined)
      .flatMap((node) => updateOf(findNode(renamed, node.nodeId), node)),
    ...difference.changedEdges.flatMap(({ id, ...edge }) => {
      const old = known.get(id);
      return (old === undefined ? [] : keyOf(old)).map(
        (key): DraftOperation => ({ op: 'update_edge', key, changes: edge }),
      );
    }),
    ...difference.newEdges.map((edge: EdgeFields): DraftOperation => ({ op: 'create_edge', key: newKey(), edge })),
  ];
}

/** The new names by the old ones: a node that is gone, and a new one of its type at its place in the text. */
function renames(before: Graph, after: Graph): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (before.nodes.length !== after.nodes.length) return names;
  for (const [index, node] of after.nodes.entries()) {
    const old = before.nodes[index];
    const isNew = findNode(before, node.nodeId) === undefined;
    if (old === undefined || !isNew || old.componentType !== node.componentType) continue;
    if (findNode(after, old.nodeId) === undefined) names.set(old.nodeId, node.nodeId);
  }
  return names;
}

function withNames(graph: Graph, names: ReadonlyMap<string, string>): Graph {
  if (names.size === 0) return graph;
  const nameOf = (name: string): string => names.get(name) ?? name;
  return {
    nodes: graph.nodes.map((node) => ({ ...node, nodeId: nameOf(node.nodeId) })),
    edges: graph.edges.map((edge) => ({
      ...edge,
      sourceNodeId: nameOf(edge.sourceNodeId),
      targetNodeId: nameOf(edge.targetNodeId),
    })),
  };
}

/** The link to a model follows from an edge. */
function withoutLink<T extends { readonly config: JsonObject }>(node: T): T {
  return { ...node, config: { ...node.config, llm_model_config_id: null } };
}

const fields = [
  'label',
  'isEntryPoint',
  'interruptBefore',
  'interruptAfter',
  'positionX',
  'positionY',
  'subworkflowId',
  'codeBlockId',
] as const satisfies readonly (keyof Node)[];

function updateOf(before: Node | undefined, after: Node): readonly DraftOperation[] {
  if (before === undefined) return [];
  const changed = Object.fromEntries(
    fields.filter((field) => before[field] !== after[field]).map((field) => [field, after[field]]),
  );
  const config = configChanges(before.config, after.config);
  const changes: NodeChanges = { ...changed, ...(config !== null && { config }) };
  return Object.keys(changes).length === 0 ? [] : [{ op: 'update_node', nodeId: after.nodeId, changes }];
}

/** The changed keys of a config. A key that is gone from `extra_config` is null. */
function configChanges(before: JsonObject, after: JsonObject): JsonObject | null {
  const { extra_config: oldExtra, llm_model_config_id: _old, ...old } = before;
  const { extra_config: newExtra, llm_model_config_id: _new, ...common } = after;
  const extra = keyChanges(isObject(oldExtra ?? null) ? (oldExtra as JsonObject) : {}, (newExtra ?? {}) as JsonObject);
  const changes = { ...keyChanges(old, common), ...(Object.keys(extra).length > 0 && { extra_config: extra }) };
  return Object.keys(changes).length === 0 ? null : changes;
}

function keyChanges(before: JsonObject, after: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const at = (object: JsonObject, key: string): Json => (Object.hasOwn(object, key) ? (object[key] ?? null) : null);
  const changed = [...keys].filter((key) => !isSameJson(at(before, key), at(after, key)));
  return Object.fromEntries(changed.map((key) => [key, at(after, key)]));
}
