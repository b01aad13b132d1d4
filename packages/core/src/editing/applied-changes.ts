import { appendEdges } from '../graph/duplicate-edges.ts';
import type { Edge, Node } from '../graph/graph.ts';
import type { GraphChange, SavedGraph, VersionedGraph } from './graph-change.ts';

/** The objects of one kind that changed, in order, by their ids; null for a deleted one. */
interface Outcome<T> {
  readonly objects: Map<number, T | null>;
  /** True if an existing object may have changed. */
  touchesOld: boolean;
}

/** Concatenates two lists. */
type Append<T> = (list: readonly T[], more: readonly T[]) => readonly T[];

/** The graph in the store after a save: reading it again would have a cost for each edge of a large workflow. */
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

/** Sorted by id, as the store returns it. */
function merge<T extends { readonly id: number }>(
  before: readonly T[],
  { objects, touchesOld }: Outcome<T>,
  append: Append<T>,
): readonly T[] {
  if (objects.size === 0) return before;
  // Copying a list costs almost nothing, even if it is long.
  if (!touchesOld) return inOrder(before, present(objects), append);
  const [only] = objects;
  if (only !== undefined && objects.size === 1) return withOne(before, only, append);
  const added = new Map(objects);
  // A plain loop is faster: each operation of a long list iterates over a long list of objects.
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

/**
 * The same for one object, as each operation of a long list has it: to copy the list costs a tenth of looking at all of it.
 */
function withOne<T extends { readonly id: number }>(
  before: readonly T[],
  [id, object]: readonly [number, T | null],
  append: Append<T>,
): readonly T[] {
  const at = placeOf(before, id);
  if (before[at]?.id !== id) return object === null ? before : inOrder(before, [object], append);
  return object === null ? before.toSpliced(at, 1) : before.with(at, object);
}

/** The index of an id in a sorted list, or of the next greater one. */
function placeOf(sorted: readonly { readonly id: number }[], id: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle]?.id ?? 0) < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** New objects have the highest ids, except those restored after a deletion. */
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
