import type { Edge } from './graph.ts';

/** The identity of an edge in its workflow: everything but its id, mapping and priority. */
export type EdgeIdentity = Pick<Edge, 'sourceNodeId' | 'targetNodeId' | 'edgeType' | 'edgeLabel' | 'conditionValue'>;

/** The id of the only edge with an identity; null if several have it, as a node's new name can make them alike. */
type IdsByIdentity = Map<string, number | null>;

/**
 * The ids of edges by identity, cached for each list. Lists of edges are immutable, so a cache entry is never outdated,
 * and it is collected with its list.
 */
const cache = new WeakMap<readonly Edge[], IdsByIdentity>();

/** Whether the list has another edge with the same identity; `id` is the edge's own id if it is in the list. */
export function hasDuplicate(edges: readonly Edge[], edge: EdgeIdentity, id: number | undefined): boolean {
  let ids = cache.get(edges);
  if (ids === undefined) {
    ids = new Map();
    addTo(ids, edges);
    cache.set(edges, ids);
  }
  const found = ids.get(identityOf(edge));
  return found !== undefined && found !== id;
}

function addTo(ids: IdsByIdentity, edges: readonly Edge[]): void {
  for (const edge of edges) {
    const identity = identityOf(edge);
    ids.set(identity, ids.has(identity) ? null : edge.id);
  }
}

/**
 * The list with more edges at its end. The cache entry of the shorter list moves to it, so growing a list stays cheap.
 */
export function appendEdges(edges: readonly Edge[], more: readonly Edge[]): readonly Edge[] {
  const longer = edges.concat(more);
  const ids = cache.get(edges);
  if (ids === undefined) return longer;
  cache.delete(edges);
  addTo(ids, more);
  cache.set(longer, ids);
  return longer;
}

/** The identity of an edge as a key. JSON keeps the parts apart, whatever characters they contain. */
export function identityOf({ sourceNodeId, targetNodeId, edgeType, edgeLabel, conditionValue }: EdgeIdentity): string {
  return JSON.stringify([sourceNodeId, targetNodeId, edgeType, edgeLabel, conditionValue]);
}

/** The edge with the same identity. */
export function sameEdge({ edges }: { readonly edges: readonly Edge[] }, edge: EdgeIdentity): Edge | undefined {
  const identity = identityOf(edge);
  return edges.find((other) => identityOf(other) === identity);
}
