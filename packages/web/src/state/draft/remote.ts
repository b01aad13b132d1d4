import { findEdge, isSameEdge, isSameNode, type Node, type VersionedGraph } from '@millrace/core/editing';
import { type Draft, objectKey, type RemoteChange } from './draft.ts';

type Base = Pick<Draft, 'base' | 'readVersion' | 'knownFrom'>;

/** The graph of the service after changes that it announced; the same object if they are all known. */
export function afterChanges(draft: Base, changes: readonly RemoteChange[]): Base {
  return changes.reduce(afterChange, { base: draft.base, readVersion: draft.readVersion, knownFrom: draft.knownFrom });
}

function afterChange(state: Base, change: RemoteChange): Base {
  if (change.version <= state.readVersion) return state;
  if (change.kind === 'graph') {
    return { base: unchanged(state.base, change.graph), readVersion: change.version, knownFrom: new Map() };
  }
  const { base } = state;
  const id = idOf(base, change);
  const kind = change.kind === 'node' || change.kind === 'node_deleted' ? 'node' : 'edge';
  const key = id === null ? null : objectKey(kind, id);
  if (key === null || change.version < (state.knownFrom.get(key) ?? 0)) return withVersion(state, change.version);
  const knownFrom = new Map(state.knownFrom).set(key, change.version);
  return withVersion({ ...state, base: changedBase(base, change, id), knownFrom }, change.version);
}

/** The id of the object that changes; null for a node that is already deleted. */
function idOf(base: VersionedGraph, change: Exclude<RemoteChange, { kind: 'graph' }>): number | null {
  switch (change.kind) {
    case 'node':
      return change.node.id;
    case 'edge':
      return change.edge.id;
    case 'edge_deleted':
      return change.id;
    case 'node_deleted':
      return base.nodes.find(({ nodeId }) => nodeId === change.nodeId)?.id ?? null;
  }
}

function withVersion(state: Base, version: number): Base {
  return version <= state.base.version ? state : { ...state, base: { ...state.base, version } };
}

function changedBase(base: VersionedGraph, change: RemoteChange, id: number | null): VersionedGraph {
  switch (change.kind) {
    case 'node':
      return { ...base, nodes: withObject(base.nodes, change.node, isSameNode) };
    case 'edge':
      return { ...base, edges: withObject(base.edges, change.edge, isSameEdge) };
    case 'node_deleted':
      return { ...base, nodes: base.nodes.filter((node) => node.id !== id) };
    case 'edge_deleted':
      return findEdge(base, change.id) ? { ...base, edges: base.edges.filter((edge) => edge.id !== id) } : base;
    case 'graph':
      return change.graph;
  }
}

/** In order of ids. An object with the same contents is not replaced, so that nothing is drawn again. */
function withObject<T extends { readonly id: number }>(
  objects: readonly T[],
  object: T,
  isSame: (one: T, other: T) => boolean,
): readonly T[] {
  const index = objects.findIndex(({ id }) => id === object.id);
  const old = objects[index];
  if (old === undefined) {
    const at = objects.findLastIndex(({ id }) => id < object.id) + 1;
    return objects.toSpliced(at, 0, object);
  }
  return isSame(old, object) && timeOf(old) === timeOf(object) ? objects : objects.with(index, object);
}

function timeOf(object: object): number {
  return (object as Partial<Node>).updatedAt ?? 0;
}

/** The new graph with the old objects where nothing changed. */
function unchanged(before: VersionedGraph, after: VersionedGraph): VersionedGraph {
  const nodes = new Map(before.nodes.map((node) => [node.id, node]));
  const edges = new Map(before.edges.map((edge) => [edge.id, edge]));
  return {
    version: after.version,
    nodes: after.nodes.map((node) => {
      const old = nodes.get(node.id);
      return old !== undefined && isSameNode(old, node) && old.updatedAt === node.updatedAt ? old : node;
    }),
    edges: after.edges.map((edge) => {
      const old = edges.get(edge.id);
      return old !== undefined && isSameEdge(old, edge) ? old : edge;
    }),
  };
}
