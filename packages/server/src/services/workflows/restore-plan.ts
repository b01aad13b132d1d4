import { type Graph, isSameEdge, isSameNode, type Node } from '@millrace/core';
import type { GraphChange } from '../../store/graphs.ts';

/** The changes that restore an earlier graph. Deleted objects come back with their old ids. */
export function planRestore(current: Graph, target: Graph): readonly GraphChange[] {
  const nodes = matched(current, target);
  return [...deletedEdges(current, target), ...nodeChanges(current, nodes), ...edgeChanges(current, target)];
}

/**
 * The nodes of the result. A node that was deleted and created again with the same name keeps its new id, so that
 * references to that id stay valid. Links to models with changed ids are updated.
 */
function matched(current: Graph, target: Graph): readonly Node[] {
  const wanted = new Set(target.nodes.map(({ id }) => id));
  const present = new Set(current.nodes.map(({ id }) => id));
  const madeAgain = new Map(current.nodes.filter(({ id }) => !wanted.has(id)).map((node) => [node.nodeId, node.id]));
  const moved = new Map<number, number>();
  for (const { id, nodeId } of target.nodes) {
    const now = present.has(id) ? undefined : madeAgain.get(nodeId);
    if (now !== undefined) moved.set(id, now);
  }
  return target.nodes.map((node) => {
    const link = node.config.llm_model_config_id;
    const model = typeof link === 'number' ? moved.get(link) : undefined;
    const config = model === undefined ? node.config : { ...node.config, llm_model_config_id: model };
    return { ...node, id: moved.get(node.id) ?? node.id, config };
  });
}

/** Deletions, then updates, then creations, so that no name is ever used twice. */
function nodeChanges(current: Graph, wanted: readonly Node[]): readonly GraphChange[] {
  const kept = new Set(wanted.map(({ id }) => id));
  const before = new Map(current.nodes.filter(({ id }) => kept.has(id)).map((node) => [node.id, node]));
  const gone = current.nodes.filter(({ id }) => !kept.has(id));
  const changed = wanted.filter((node) => {
    const old = before.get(node.id);
    return old !== undefined && !isSameNode(old, node);
  });
  const { updates, remade } = inOrderOfNames(changed, before);
  const news = wanted.filter(({ id }) => !before.has(id));
  return [
    ...[...gone, ...remade.map(({ id }) => before.get(id))].flatMap((node) =>
      node === undefined ? [] : deletionOf(node),
    ),
    ...updates.map((node): GraphChange => ({ kind: 'update_node', id: node.id, node })),
    ...[...remade, ...news].map((node): GraphChange => ({ kind: 'create_node', id: node.id, node })),
  ];
}

function deletionOf({ id, nodeId }: Node): GraphChange {
  return { kind: 'delete_node', id, nodeId };
}

interface OrderedUpdates {
  readonly updates: readonly Node[];
  /** Nodes that block a name: they are deleted and created again. */
  readonly remade: readonly Node[];
}

/** Orders renames so that each new name is free. In a cycle of exchanged names, one node is created again. */
function inOrderOfNames(changed: readonly Node[], before: ReadonlyMap<number, Node>): OrderedUpdates {
  const idByNodeId = new Map([...before.values()].map(({ nodeId, id }) => [nodeId, id]));
  const updates: Node[] = [];
  const remade: Node[] = [];
  let waiting = [...changed];
  const leave = (node: Node) => idByNodeId.delete(before.get(node.id)?.nodeId ?? '');
  while (waiting.length > 0) {
    const free = waiting.filter(({ id, nodeId }) => (idByNodeId.get(nodeId) ?? id) === id);
    const [first] = waiting;
    if (free.length === 0 && first !== undefined) {
      leave(first);
      remade.push(first);
      waiting = waiting.slice(1);
      continue;
    }
    for (const node of free) {
      leave(node);
      idByNodeId.set(node.nodeId, node.id);
      updates.push(node);
    }
    const done = new Set(free);
    waiting = waiting.filter((node) => !done.has(node));
  }
  return { updates, remade };
}

function deletedEdges(current: Graph, target: Graph): readonly GraphChange[] {
  const wanted = new Set(target.edges.map(({ id }) => id));
  return current.edges.filter(({ id }) => !wanted.has(id)).map(({ id }) => ({ kind: 'delete_edge', id }));
}

function edgeChanges(current: Graph, target: Graph): readonly GraphChange[] {
  const before = new Map(current.edges.map((edge) => [edge.id, edge]));
  return target.edges.flatMap((edge): GraphChange[] => {
    const old = before.get(edge.id);
    if (old === undefined) return [{ kind: 'create_edge', id: edge.id, edge }];
    return isSameEdge(old, edge) ? [] : [{ kind: 'update_edge', id: edge.id, edge }];
  });
}
