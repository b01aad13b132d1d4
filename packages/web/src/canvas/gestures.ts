import type { Operation } from '../api/graph.ts';
import type { Graph } from '../state/graph.ts';
import type { CardNode, LineEdge } from './flow.ts';

/** What one action of a person does, and what the undo list calls it. */
export interface CanvasGesture {
  readonly label: string;
  readonly operations: readonly Operation[];
}

/** Deletes cards and lines. The service deletes the connections of a node with it. */
export function deleteOperations({
  nodes,
  edges,
}: {
  nodes: readonly CardNode[];
  edges: readonly LineEdge[];
}): CanvasGesture {
  const deleted = new Set(nodes.map(({ id }) => id));
  const left = edges.filter(({ source, target }) => !deleted.has(source) && !deleted.has(target));
  const names = [
    ...(nodes.length > 0 ? [counted(nodes, 'node')] : []),
    ...(left.length > 0 ? [counted(left, 'connection')] : []),
  ];
  return {
    label: `Delete ${names.join(' and ')}`,
    operations: [
      ...left.map(({ data }) => ({ op: 'delete_edge' as const, edge_id: data?.edge.id ?? 0 })),
      ...nodes.map(({ id }) => ({ op: 'delete_node' as const, node_id: id })),
    ],
  };
}

/** Moves cards to where they are shown; those that did not move are left alone. */
export function moveOperations(cards: readonly Pick<CardNode, 'id' | 'position'>[], { nodes }: Graph): CanvasGesture {
  const known = new Map(nodes.map((node) => [node.node_id, node]));
  const moved = cards.flatMap(({ id, position }) => {
    const changes = { position_x: Math.round(position.x), position_y: Math.round(position.y) };
    const node = known.get(id);
    const isMoved =
      node !== undefined && (node.position_x !== changes.position_x || node.position_y !== changes.position_y);
    return isMoved ? [{ id, changes }] : [];
  });
  return {
    label: `Move ${counted(moved, 'node')}`,
    operations: moved.map(({ id, changes }) => ({ op: 'update_node', node_id: id, changes })),
  };
}

/** `template` or `3 nodes`. */
function counted(objects: readonly { readonly id: string }[], kind: string): string {
  const [only] = objects;
  if (objects.length === 1 && only !== undefined) return kind === 'node' ? only.id : `1 ${kind}`;
  return `${objects.length} ${kind}s`;
}
