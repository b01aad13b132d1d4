import {
  type Edge,
  type EdgeFields,
  type EditRules,
  edgesAt,
  findNode,
  isObject,
  isSameEdge,
  isSameJson,
  isSameNode,
  type Json,
  type JsonObject,
  type Node,
  type NodeChanges,
  type NodeFields,
} from '@millrace/core/editing';
import { type DraftOperation, settled } from './operation.ts';
import { edgeIn, keyIn, type View, viewAfter } from './view.ts';

/** A gesture applied to a view. */
export interface Performed {
  readonly view: View;
  /** The operations that restore the view before it. */
  readonly inverse: readonly DraftOperation[];
}

/** The view after a gesture, and the operations that undo it. @throws Problem if an operation violates a rule */
export function performed(rules: EditRules, before: View, operations: readonly DraftOperation[]): Performed {
  const steps: (readonly DraftOperation[])[] = [];
  let view = before;
  for (const operation of operations) {
    const after = viewAfter(rules, view, operation);
    steps.push(undoing(view, operation));
    view = after;
  }
  const inverse = settled(steps.toReversed().flat());
  return { view, inverse: settled([...inverse, ...repairs(rules, { before, after: view }, inverse)]) };
}

/** The operations that undo one operation on a view. */
function undoing(view: View, operation: DraftOperation): readonly DraftOperation[] {
  switch (operation.op) {
    case 'create_node':
      return [{ op: 'delete_node', nodeId: operation.node.nodeId }];
    case 'update_node': {
      const node = findNode(view.graph, operation.nodeId);
      const nodeId = operation.changes.nodeId ?? operation.nodeId;
      return node === undefined ? [] : [{ op: 'update_node', nodeId, changes: previous(node, operation.changes) }];
    }
    case 'delete_node': {
      const node = findNode(view.graph, operation.nodeId);
      if (node === undefined) return [];
      return [{ op: 'create_node', node: unlinked(node) }, ...recreated(view, edgesAt(view.graph, node.nodeId))];
    }
    case 'create_edge':
      return [{ op: 'delete_edge', key: operation.key }];
    case 'update_edge': {
      const edge = edgeIn(view, operation.key);
      return edge === undefined
        ? []
        : [{ op: 'update_edge', key: operation.key, changes: picked(edge, operation.changes) }];
    }
    case 'delete_edge': {
      const edge = edgeIn(view, operation.key);
      return edge === undefined ? [] : recreated(view, [edge]);
    }
  }
}

/** The values of the same fields before a change. */
function picked<T extends object>(before: T, changes: Partial<T>): Partial<T> {
  return Object.fromEntries(Object.keys(changes).map((key) => [key, before[key as keyof T]])) as Partial<T>;
}

function previous(node: Node, { config, ...changes }: NodeChanges): NodeChanges {
  const fields = picked<Node>(node, changes);
  if (config === undefined) return fields;
  const { extra_config: given, ...common } = config as JsonObject;
  const before = picked<JsonObject>(node.config, common);
  if (!isObject(given ?? null)) return { ...fields, config: before };
  return {
    ...fields,
    config: { ...before, extra_config: previousExtra(node.config.extra_config, given as JsonObject) },
  };
}

/** A key that did not exist is removed by null. */
function previousExtra(stored: Json | undefined, given: JsonObject): JsonObject {
  const before = stored !== undefined && isObject(stored) ? stored : {};
  return Object.fromEntries(
    Object.keys(given).map((key) => [key, Object.hasOwn(before, key) ? (before[key] as Json) : null]),
  );
}

/** A node to create again. Its link to a model follows from its edges, which are created later. */
function unlinked({ id: _id, updatedAt: _at, ...node }: Node): NodeFields {
  return { ...node, config: { ...node.config, llm_model_config_id: null } };
}

/**
 * Creates deleted edges again. Of several models of a node, the one that was connected last counts, so those that were
 * connected after a deleted one are connected again after it.
 */
function recreated(view: View, deleted: readonly Edge[]): readonly DraftOperation[] {
  const { edges } = view.graph;
  const gone = new Set(deleted);
  const models = deleted.filter(({ edgeLabel }) => edgeLabel === 'llm');
  const later = edges.filter((edge, index) => {
    if (gone.has(edge) || edge.edgeLabel !== 'llm') return false;
    return models.some((model) => model.targetNodeId === edge.targetNodeId && edges.indexOf(model) < index);
  });
  const again = [...deleted, ...later].sort((a, b) => edges.indexOf(a) - edges.indexOf(b));
  return [
    ...later.map((edge): DraftOperation => ({ op: 'delete_edge', key: keyIn(view, edge.id) })),
    ...again.map((edge): DraftOperation => ({ op: 'create_edge', key: keyIn(view, edge.id), edge: fieldsOf(edge) })),
  ];
}

function fieldsOf({ id: _id, ...fields }: Edge): EdgeFields {
  return fields;
}

interface Change {
  readonly before: View;
  readonly after: View;
}

/**
 * What the inverse does not restore: a rename back also renames what already had the new name. These operations restore
 * it, so that an inverse is exact.
 */
function repairs(rules: EditRules, { before, after }: Change, inverse: readonly DraftOperation[]): DraftOperation[] {
  let back = after;
  for (const operation of inverse) back = viewAfter(rules, back, operation);
  const untouched = new Set(back.graph.nodes);
  const byName = new Map(back.graph.nodes.map((node) => [node.nodeId, node]));
  const nodes = before.graph.nodes.flatMap((node): DraftOperation[] => {
    if (untouched.has(node)) return [];
    const now = byName.get(node.nodeId);
    const changes = now && differences(now, node);
    return changes === undefined ? [] : [{ op: 'update_node', nodeId: node.nodeId, changes }];
  });
  const sameEdges = new Set(back.graph.edges);
  const edges = before.graph.edges.flatMap((edge): DraftOperation[] => {
    const key = keyIn(before, edge.id);
    const now = sameEdges.has(edge) ? undefined : edgeIn(back, key);
    if (now === undefined || isSameEdge(now, edge)) return [];
    return [{ op: 'update_edge', key, changes: fieldsOf(edge) }];
  });
  return [...nodes, ...edges];
}

/** The changes that make a node equal to another one with its name, except for its link to a model. */
function differences(from: Node, to: Node): NodeChanges | undefined {
  const target = { ...to, config: { ...to.config, llm_model_config_id: from.config.llm_model_config_id ?? null } };
  if (isSameNode(from, target)) return undefined;
  const { id: _id, updatedAt: _at, config: _config, ...fields } = to;
  const plain = Object.entries(fields).filter(([key, value]) => !isSameJson(value, from[key as keyof typeof fields]));
  const { extra_config: extra = {}, ...common } = target.config as JsonObject;
  const changed = Object.entries(common).filter(([key, value]) => !isSameJson(value, from.config[key] ?? null));
  const config = {
    ...Object.fromEntries(changed),
    extra_config: extraDifferences(from.config.extra_config ?? {}, extra),
  };
  return { ...(Object.fromEntries(plain) as NodeChanges), config };
}

function extraDifferences(from: Json, to: Json): JsonObject {
  if (!isObject(from) || !isObject(to)) return {};
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const changed = Object.entries(to).filter(([key, value]) => !isSameJson(value, from[key] ?? null));
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(changed) };
}
