import { type Catalogue, type Edge, firstNewId, type Node, Problem } from '@millrace/core';
import type { EdgeFields, GraphChange, VersionedGraph } from '../../store/graphs.ts';
import { appliedChanges } from './applied-changes.ts';
import { planEdgeRemoval, planEdgeUpdate, planNewEdge } from './edge-edits.ts';
import { expectNode, type NewNode, type NodeChanges, planNewNode, planRemoval, planUpdate } from './node-edits.ts';
import { rejectionOf } from './rejected-operation.ts';

/** One of several edits that are applied together. */
export type GraphOperation =
  | { readonly op: 'create_node'; readonly node: NewNode }
  | { readonly op: 'update_node'; readonly nodeId: string; readonly changes: NodeChanges }
  | { readonly op: 'delete_node'; readonly nodeId: string }
  | { readonly op: 'create_edge'; readonly edge: EdgeFields }
  | { readonly op: 'update_edge'; readonly edgeId: number; readonly changes: Partial<EdgeFields> }
  | { readonly op: 'delete_edge'; readonly edgeId: number };

/** The changes of a list of operations. */
export interface OperationsPlan {
  readonly changes: readonly GraphChange[];
  /** For each operation the index of its main change, which those that follow from it come after. */
  readonly firsts: readonly number[];
}

/**
 * The changes of all operations, each planned on the graph after those before it.
 * @throws Problem `invalid` or `conflict` with the index of the rejected operation
 */
export function planOperations(
  catalogue: Catalogue,
  before: VersionedGraph,
  operations: readonly GraphOperation[],
): OperationsPlan {
  const changes: GraphChange[] = [];
  const firsts: number[] = [];
  let graph = before;
  let visits = 0;
  for (const [index, operation] of operations.entries()) {
    if (isRename(operation)) {
      visits += graph.nodes.length;
      if (visits > maxVisits) throw rejectionOf(tooManyRenames(), operation.op, index);
    }
    const next = planOne({ catalogue, graph, index }, operation);
    firsts.push(changes.length);
    for (const change of next) changes.push(change);
    graph = appliedChanges(graph, next, { version: graph.version, saved: next.map(planned) });
  }
  return { changes, firsts };
}

/**
 * A rename reads the expressions of all nodes, which takes some 20 µs each if they are long and contain the name. This
 * many take 1 s, in which no other request is served: 25 renames in the largest workflow, 1,000 in one of 50 nodes.
 */
const maxVisits = 50_000;

function isRename(operation: GraphOperation): boolean {
  if (operation.op !== 'update_node') return false;
  const { nodeId } = operation.changes;
  return nodeId !== undefined && nodeId !== operation.nodeId;
}

function tooManyRenames(): Problem {
  return new Problem(
    'invalid',
    'These are too many renames for a workflow of this size: send them in several requests.',
  );
}

interface OperationContext {
  readonly catalogue: Catalogue;
  readonly graph: VersionedGraph;
  readonly index: number;
}

function planOne({ catalogue, graph, index }: OperationContext, operation: GraphOperation): readonly GraphChange[] {
  // An operation creates at most one object, so its index makes the temporary id unique.
  const id = firstNewId + index;
  try {
    switch (operation.op) {
      case 'create_node':
        return planNewNode(catalogue, graph, { node: operation.node, id });
      case 'update_node':
        return planUpdate(catalogue, graph, operation);
      case 'delete_node':
        return planRemoval(graph, expectNode(graph, operation.nodeId));
      case 'create_edge':
        return planNewEdge(catalogue, graph, { edge: operation.edge, id });
      case 'update_edge':
        return planEdgeUpdate(catalogue, graph, { id: operation.edgeId, changes: operation.changes });
      case 'delete_edge':
        return planEdgeRemoval(graph, operation.edgeId);
    }
  } catch (error) {
    throw rejectionOf(error, operation.op, index);
  }
}

/** The object that a change will store, with a temporary id if the store has not assigned one. */
export function planned(change: GraphChange): Node | Edge | null {
  switch (change.kind) {
    case 'create_node':
      return { ...change.node, id: change.id ?? firstNewId, updatedAt: 0 };
    case 'update_node':
      return { ...change.node, id: change.id, updatedAt: 0 };
    case 'create_edge':
      return { ...change.edge, id: change.id ?? firstNewId };
    case 'update_edge':
      return { ...change.edge, id: change.id };
    case 'delete_node':
    case 'delete_edge':
      return null;
  }
}
