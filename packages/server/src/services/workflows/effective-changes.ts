import { type Edge, isSameEdge, isSameNode, type Node } from '@millrace/core';
import type { EdgeFields, GraphChange, NodeFields, SavedGraph, VersionedGraph } from '../../store/graphs.ts';

/** The changes without updates that change nothing. */
export interface EffectiveChanges {
  readonly changes: readonly GraphChange[];
  /** For each of all changes, where its result comes from: the index of an effective change, or an unchanged object. */
  readonly sources: readonly (Node | Edge | number)[];
  /** The results of all changes, from the results of the effective ones. */
  saved(made: SavedGraph['saved']): SavedGraph['saved'];
}

/** The state of an object after some of the changes, and its source: the graph, or the change with this index. */
interface Latest<Fields, Stored> {
  readonly fields: Fields;
  readonly from: Stored | number;
}

/** Omits updates that change nothing. Each change is compared with the state after those before it. */
export function effectiveChanges(graph: VersionedGraph, all: readonly GraphChange[]): EffectiveChanges {
  const changes: GraphChange[] = [];
  const sources: (Node | Edge | number)[] = [];
  const nodes = new Map<number, Latest<NodeFields, Node>>();
  const edges = new Map<number, Latest<EdgeFields, Edge>>();
  for (const change of all) {
    const unchanged = sourceOfUnchanged(graph, change, { nodes, edges });
    sources.push(unchanged ?? changes.length);
    if (unchanged !== undefined) continue;
    const { id } = change;
    if ('node' in change && id !== undefined) nodes.set(id, { fields: change.node, from: changes.length });
    if ('edge' in change && id !== undefined) edges.set(id, { fields: change.edge, from: changes.length });
    changes.push(change);
  }
  return {
    changes,
    sources,
    saved: (made) => sources.map((source) => (typeof source === 'number' ? (made[source] ?? null) : source)),
  };
}

interface LatestObjects {
  readonly nodes: ReadonlyMap<number, Latest<NodeFields, Node>>;
  readonly edges: ReadonlyMap<number, Latest<EdgeFields, Edge>>;
}

/** The source of the object if an update changes nothing; undefined for an effective change. */
function sourceOfUnchanged(
  graph: VersionedGraph,
  change: GraphChange,
  latest: LatestObjects,
): Node | Edge | number | undefined {
  if (change.kind === 'update_node') {
    const before = latest.nodes.get(change.id) ?? stored(graph.nodes, change.id);
    return before && isSameNode(before.fields, change.node) ? before.from : undefined;
  }
  if (change.kind !== 'update_edge') return undefined;
  const before = latest.edges.get(change.id) ?? stored(graph.edges, change.id);
  return before && isSameEdge(before.fields, change.edge) ? before.from : undefined;
}

function stored<T extends { readonly id: number }>(objects: readonly T[], id: number): Latest<T, T> | undefined {
  const object = objects.find((other) => other.id === id);
  return object && { fields: object, from: object };
}
