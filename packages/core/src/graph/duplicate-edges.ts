import type { Edge } from './graph.ts';

/** What makes two edges of one workflow the same: everything but their ids, mappings and priorities. */
export type EdgeIdentity = Pick<Edge, 'sourceNodeId' | 'targetNodeId' | 'edgeType' | 'edgeLabel' | 'conditionValue'>;

/**
 * The ids of edges by their identities, kept beside each list that was asked about. Lists of edges never change, so what
 * is kept is never wrong, and it goes when its list goes.
 */
const kept = new WeakMap<readonly Edge[], Map<string, number>>();

/** Whether the list has another edge with the same identity; `id` is the edge's own, where it is in the list itself. */
export function hasDouble(edges: readonly Edge[], edge: EdgeIdentity, id: number | undefined): boolean {
  let ids = kept.get(edges);
  if (ids === undefined) {
    ids = new Map(edges.map((other) => [identityOf(other), other.id]));
    kept.set(edges, ids);
  }
  const found = ids.get(identityOf(edge));
  return found !== undefined && found !== id;
}

/** The list with more edges at its end. What is kept of the shorter list moves on to it, so a list that grows stays cheap. */
export function appendEdges(edges: readonly Edge[], more: readonly Edge[]): readonly Edge[] {
  const longer = edges.concat(more);
  const ids = kept.get(edges);
  if (ids === undefined) return longer;
  kept.delete(edges);
  for (const edge of more) ids.set(identityOf(edge), edge.id);
  kept.set(longer, ids);
  return longer;
}

/** No name and no value of an edge holds the character U+0000. */
function identityOf({ sourceNodeId, targetNodeId, edgeType, edgeLabel, conditionValue }: EdgeIdentity): string {
  return `${sourceNodeId}\0${targetNodeId}\0${edgeType}\0${edgeLabel}\0${conditionValue}`;
}
