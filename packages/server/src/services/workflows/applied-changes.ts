import { appendEdges, type Edge, type Node } from '@millrace/core';
import type { GraphChange, SavedGraph, VersionedGraph } from '../../store/graphs.ts';

/** What became of one kind of object, in the order in which it was touched: by its id the object, or null if it went. */
interface Outcome<T> {
  readonly objects: Map<number, T | null>;
  /** Whether an object that was there before may have been touched. */
  touchesOld: boolean;
}

/** Makes a longer list of two. */
type Append<T> = (list: readonly T[], more: readonly T[]) => readonly T[];

/** The graph that the store has after a save: reading it again would cost more for every edge of a large workflow. */
export function appliedChanges(
  graph: VersionedGraph,
  changes: readonly GraphChange[],
  { version, saved }: SavedGraph,
): VersionedGraph {
  const nodes: Outcome<Node> = { objects: new Map(), touchesOld: false };
  const edges: Outcome<Edge> = { objects: new Map(), touchesOld: false };
  const ids = new Map<number, number>();
  for (const [index, change] of changes.entries()) {
    const stored = saved[index] ?? null;
    if (change.kind === 'delete_node') remove(nodes, ids.get(change.id) ?? change.id);
    else if (change.kind === 'delete_edge') remove(edges, ids.get(change.id) ?? change.id);
    else if (stored !== null) {
      const isNew = change.kind === 'create_node' || change.kind === 'create_edge';
      if (isNew && change.id !== undefined) ids.set(change.id, stored.id);
      if (isNode(stored)) put(nodes, stored, isNew);
      else put(edges, stored, isNew);
    }
  }
  return {
    version,
    nodes: merge(graph.nodes, nodes, (list, more) => [...list, ...more]),
    edges: merge(graph.edges, edges, appendEdges),
  };
}

function put<T extends { readonly id: number }>(outcome: Outcome<T>, stored: T, isNew: boolean): void {
  outcome.objects.set(stored.id, stored);
  outcome.touchesOld ||= !isNew;
}

function remove<T>(outcome: Outcome<T>, id: number): void {
  outcome.objects.set(id, null);
  outcome.touchesOld = true;
}

/** In the order of ids, as the store gives them. */
function merge<T extends { readonly id: number }>(
  before: readonly T[],
  { objects, touchesOld }: Outcome<T>,
  append: Append<T>,
): readonly T[] {
  if (objects.size === 0) return before;
  // Copying a list as it is costs next to nothing, even where it is long.
  if (!touchesOld) return inOrder(before, present(objects), append);
  const added = new Map(objects);
  // A plain loop: a long list of operations walks a long list of objects for each of them.
  const kept: T[] = [];
  for (const object of before) {
    const outcome = objects.get(object.id);
    if (outcome === undefined) kept.push(object);
    else {
      added.delete(object.id);
      if (outcome !== null) kept.push(outcome);
    }
  }
  return inOrder(kept, present(added), append);
}

/** A new object has the highest id, but for one that comes back after it was deleted. */
function inOrder<T extends { readonly id: number }>(
  kept: readonly T[],
  added: readonly T[],
  append: Append<T>,
): readonly T[] {
  const isSorted = added.every(({ id }, index) => id > ((added[index - 1] ?? kept.at(-1))?.id ?? 0));
  return isSorted ? append(kept, added) : [...kept, ...added].sort((a, b) => a.id - b.id);
}

function present<T>(objects: ReadonlyMap<number, T | null>): T[] {
  return [...objects.values()].filter((object) => object !== null);
}

function isNode(stored: Node | Edge): stored is Node {
  return 'nodeId' in stored;
}
