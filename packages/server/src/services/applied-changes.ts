import type { Edge, Node } from '@millrace/core';
import type { GraphChange, SavedGraph, VersionedGraph } from '../store/store.ts';

/** What changes made of one kind of object. */
interface Changed<T> {
  readonly created: T[];
  readonly updated: Map<number, T>;
  readonly deleted: Set<number>;
}

/** The graph that the store has after a save: reading it again would cost more for every edge of a large workflow. */
export function appliedChanges(
  graph: VersionedGraph,
  changes: readonly GraphChange[],
  { version, saved }: SavedGraph,
): VersionedGraph {
  const nodes: Changed<Node> = { created: [], updated: new Map(), deleted: new Set() };
  const edges: Changed<Edge> = { created: [], updated: new Map(), deleted: new Set() };
  for (const [index, change] of changes.entries()) {
    const stored = saved[index] ?? null;
    if (change.kind === 'delete_node') nodes.deleted.add(change.id);
    else if (change.kind === 'delete_edge') edges.deleted.add(change.id);
    else if (stored !== null && isNode(stored)) note(nodes, change.kind === 'create_node', stored);
    else if (stored !== null) note(edges, change.kind === 'create_edge', stored);
  }
  return { version, nodes: merge(graph.nodes, nodes), edges: merge(graph.edges, edges) };
}

function note<T extends { readonly id: number }>(changed: Changed<T>, isNew: boolean, stored: T): void {
  if (isNew) changed.created.push(stored);
  else changed.updated.set(stored.id, stored);
}

/** In the order of ids, as the store gives them: a new object has the highest. */
function merge<T extends { readonly id: number }>(
  before: readonly T[],
  { created, updated, deleted }: Changed<T>,
): readonly T[] {
  const isSame = updated.size === 0 && deleted.size === 0;
  const kept = isSame
    ? before
    : before.filter(({ id }) => !deleted.has(id)).map((object) => updated.get(object.id) ?? object);
  // Copying a list as it is costs next to nothing, even where it is long.
  return created.length === 0 ? kept : [...kept, ...created];
}

function isNode(stored: Node | Edge): stored is Node {
  return 'nodeId' in stored;
}
