import { type Edge, firstNewId, type Graph, type Node } from '../graph/graph.ts';
import { appliedChanges } from './applied-changes.ts';
import { planEdgeRemoval, planEdgeUpdate, planNewEdge } from './edge-edits.ts';
import type { EditRules } from './edit-rules.ts';
import type { GraphChange, VersionedGraph } from './graph-change.ts';
import type { GraphOperation } from './graph-operation.ts';
import { expectNode, planNewNode, planRemoval, planUpdate } from './node-edits.ts';
import { rejectionOf } from './rejected-operation.ts';
import { RenameBudget } from './rename-budget.ts';

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
  rules: EditRules,
  before: VersionedGraph,
  operations: readonly GraphOperation[],
): OperationsPlan {
  const changes: GraphChange[] = [];
  const firsts: number[] = [];
  const renames = new RenameBudget();
  let graph = before;
  for (const [index, operation] of operations.entries()) {
    const next = planOne({ rules, graph, index, renames }, operation);
    firsts.push(changes.length);
    for (const change of next) changes.push(change);
    graph = appliedChanges(graph, next, { version: graph.version, saved: next.map(planned) });
  }
  return { changes, firsts };
}

interface OperationContext {
  readonly rules: EditRules;
  readonly graph: VersionedGraph;
  readonly index: number;
  readonly renames: RenameBudget;
}

function planOne(
  { rules, graph, index, renames }: OperationContext,
  operation: GraphOperation,
): readonly GraphChange[] {
  try {
    // An operation creates at most one object, so its index makes the temporary id unique.
    return planOperation(rules, graph, { operation, newId: firstNewId + index, renames });
  } catch (error) {
    throw rejectionOf(error, operation.op, index);
  }
}

interface Operating {
  readonly operation: GraphOperation;
  /** The temporary id of the object that it creates. */
  readonly newId: number;
  /** What the operations of a request together read to rename nodes; by default, for this one alone. */
  readonly renames?: RenameBudget;
}

/** The changes of one operation: first its own, then those that follow from it. @throws Problem as a single edit */
export function planOperation(
  rules: EditRules,
  graph: Graph,
  { operation, newId, renames }: Operating,
): readonly GraphChange[] {
  switch (operation.op) {
    case 'create_node':
      return planNewNode(rules, graph, { node: operation.node, id: newId });
    case 'update_node':
      return planUpdate(rules, graph, operation, renames);
    case 'delete_node':
      return planRemoval(graph, expectNode(graph, operation.nodeId));
    case 'create_edge':
      return planNewEdge(rules, graph, { edge: operation.edge, id: newId });
    case 'update_edge':
      return planEdgeUpdate(rules, graph, { id: operation.edgeId, changes: operation.changes });
    case 'delete_edge':
      return planEdgeRemoval(graph, operation.edgeId);
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
