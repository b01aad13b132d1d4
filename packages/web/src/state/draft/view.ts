import {
  appliedChanges,
  type Edge,
  type EditRules,
  findEdge,
  firstNewId,
  type GraphChange,
  type GraphOperation,
  planned,
  planOperation,
  type VersionedGraph,
} from '@millrace/core/editing';
import type { DraftOperation } from './operation.ts';

/** A graph with the keys of its edges: that of the service, or the draft with operations that are not saved. */
export interface View {
  readonly graph: VersionedGraph;
  /** The ids of edges whose key is not their id. */
  readonly edgeIds: ReadonlyMap<string, number>;
  /** The id of the next object to be created. */
  readonly nextId: number;
}

/** A view without unsaved operations. */
export function viewOf(graph: VersionedGraph, edgeIds: ReadonlyMap<string, number>): View {
  return { graph, edgeIds, nextId: firstNewId };
}

/** The id of an edge; no edge has the id 0. */
function edgeIdIn({ edgeIds }: Pick<View, 'edgeIds'>, key: string): number {
  return edgeIds.get(key) ?? (/^\d+$/.test(key) ? Number(key) : 0);
}

/** The edge with a key, if it exists. */
export function edgeIn(view: Pick<View, 'graph' | 'edgeIds'>, key: string): Edge | undefined {
  return findEdge(view.graph, edgeIdIn(view, key));
}

const keys = new WeakMap<ReadonlyMap<string, number>, ReadonlyMap<number, string>>();

/** The key of an edge. */
export function keyIn({ edgeIds }: Pick<View, 'edgeIds'>, id: number): string {
  let found = keys.get(edgeIds);
  if (found === undefined) {
    found = new Map([...edgeIds].map(([key, edgeId]) => [edgeId, key]));
    keys.set(edgeIds, found);
  }
  return found.get(id) ?? String(id);
}

/** The operation with the ids of edges in place of their keys. */
export function withEdgeIds(operation: DraftOperation, view: Pick<View, 'edgeIds'>): GraphOperation {
  switch (operation.op) {
    case 'update_edge':
      return { op: operation.op, edgeId: edgeIdIn(view, operation.key), changes: operation.changes };
    case 'delete_edge':
      return { op: operation.op, edgeId: edgeIdIn(view, operation.key) };
    case 'create_edge':
      return { op: operation.op, edge: operation.edge };
    default:
      return operation;
  }
}

/** The changes that an operation makes. @throws Problem if it violates a rule */
export function changesIn(rules: EditRules, view: View, operation: DraftOperation): readonly GraphChange[] {
  return planOperation(rules, view.graph, { operation: withEdgeIds(operation, view), newId: view.nextId });
}

/** The view after an operation. @throws Problem if it violates a rule */
export function viewAfter(rules: EditRules, view: View, operation: DraftOperation): View {
  const { graph, edgeIds, nextId } = view;
  const changes = changesIn(rules, view, operation);
  const after = appliedChanges(graph, changes, { version: graph.version, saved: changes.map(planned) });
  switch (operation.op) {
    case 'create_node':
      return { graph: after, edgeIds, nextId: nextId + 1 };
    case 'create_edge':
      return { graph: after, edgeIds: new Map(edgeIds).set(operation.key, nextId), nextId: nextId + 1 };
    default:
      return { graph: after, edgeIds, nextId };
  }
}
