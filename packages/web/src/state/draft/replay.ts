import {
  type EdgeFields,
  type EditRules,
  findNode,
  firstNewId,
  type Graph,
  isSameEdge,
  Problem,
  type Rename,
  sameEdge,
} from '@millrace/core/editing';
import { performed } from './inverse.ts';
import type { Names } from './names.ts';
import type { DraftOperation, Gesture } from './operation.ts';
import { edgeIn, type View, viewAfter } from './view.ts';

/** What others changed under a gesture that is not saved yet. */
export interface Changes {
  readonly renames: readonly Rename[];
  /** The names of nodes that others deleted. */
  readonly deleted: ReadonlySet<string>;
  /** The ids of nodes that others changed, other than by moving them. */
  readonly changed: ReadonlySet<number>;
}

export const noChanges: Changes = { renames: [], deleted: new Set(), changed: new Set() };

/** An operation that cannot be applied any more. */
export interface LostOperation {
  readonly operation: DraftOperation;
  /** One sentence. */
  readonly reason: string;
}

/** A gesture applied to a graph that others have changed. */
export interface Replayed {
  readonly view: View;
  /** With present names, and without what is lost or already so. */
  readonly gesture: Gesture;
  readonly inverse: readonly DraftOperation[];
  readonly lost: readonly LostOperation[];
  /** The ids of edges that others created as the gesture would have, by the keys of the gesture. */
  readonly sameEdges: ReadonlyMap<string, number>;
}

interface Replaying {
  readonly rules: EditRules;
  readonly names: Names;
  readonly changes: Changes;
}

/** Applies as much of a gesture as possible. */
export function replayed(context: Replaying, before: View, gesture: Gesture): Replayed {
  const { rules, names } = context;
  const operations: DraftOperation[] = [];
  const lost: LostOperation[] = [];
  const sameEdges = new Map<string, number>();
  let view = before;
  for (const given of gesture.operations) {
    const operation = withFreeName(presentOperation(given, context, view), names, view);
    const outcome = attempt(context, view, operation);
    if (outcome.kind === 'lost') lost.push({ operation, reason: outcome.reason });
    if (outcome.kind === 'same') sameEdges.set(outcome.key, outcome.id);
    if (outcome.kind === 'applied' || outcome.kind === 'same') {
      view = outcome.view;
      operations.push(...outcome.operations);
    }
  }
  // Applying them once more derives the inverse on the graph as it is now.
  const start = sameEdges.size === 0 ? before : { ...before, edgeIds: new Map([...before.edgeIds, ...sameEdges]) };
  return { ...performed(rules, start, operations), gesture: { ...gesture, operations }, lost, sameEdges };
}

function presentOperation(operation: DraftOperation, { rules, names }: Replaying, view: View): DraftOperation {
  const present = names.in(operation, rules, view);
  names.follow(operation);
  return present;
}

/** A name that somebody else took meanwhile gets a number, so that the node is not lost. */
function withFreeName(operation: DraftOperation, names: Names, view: View): DraftOperation {
  if (operation.op === 'create_node') {
    const { nodeId } = operation.node;
    const free = freeName(view.graph, nodeId);
    names.given(nodeId, free);
    return free === nodeId ? operation : { ...operation, node: { ...operation.node, nodeId: free } };
  }
  if (operation.op !== 'update_node') return operation;
  const { nodeId, changes } = operation;
  if (changes.nodeId === undefined || changes.nodeId === nodeId) return operation;
  const free = freeName(view.graph, changes.nodeId);
  names.given(changes.nodeId, free);
  return { ...operation, changes: { ...changes, nodeId: free } };
}

function freeName(graph: Graph, name: string): string {
  if (findNode(graph, name) === undefined) return name;
  let number = 2;
  while (findNode(graph, `${name}_${number}`) !== undefined) number += 1;
  return `${name}_${number}`;
}

type Outcome =
  | { readonly kind: 'applied'; readonly view: View; readonly operations: readonly DraftOperation[] }
  | { readonly kind: 'lost'; readonly reason: string }
  /** Somebody else has already done it. */
  | { readonly kind: 'done' }
  | SameEdge;

/** Somebody else has created the same edge, perhaps with another priority. */
interface SameEdge {
  readonly kind: 'same';
  readonly key: string;
  readonly id: number;
  readonly view: View;
  readonly operations: readonly DraftOperation[];
}

function attempt(context: Replaying, view: View, operation: DraftOperation): Outcome {
  const early = isDone(view, operation) ? ({ kind: 'done' } as const) : obstacle(context.changes, view, operation);
  if (early !== null) return early;
  try {
    return { kind: 'applied', view: viewAfter(context.rules, view, operation), operations: [operation] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return sameEdgeAs(context.rules, view, operation) ?? { kind: 'lost', reason: error.message };
  }
}

function sameEdgeAs(rules: EditRules, before: View, operation: DraftOperation): SameEdge | null {
  const same = operation.op === 'create_edge' ? sameEdge(before.graph, operation.edge) : undefined;
  if (operation.op !== 'create_edge' || same === undefined || same.id >= firstNewId) return null;
  const { key, edge } = operation;
  const view: View = { ...before, edgeIds: new Map(before.edgeIds).set(key, same.id) };
  const { priority, conditionMapping } = edge;
  const operations: readonly DraftOperation[] = isSameEdge(same, edge)
    ? []
    : [{ op: 'update_edge', key, changes: { priority, conditionMapping } }];
  const after = operations.reduce((state, one) => viewAfter(rules, state, one), view);
  return { kind: 'same', key, id: same.id, view: after, operations };
}

/** Whether an operation deletes what does not exist any more. */
function isDone(view: View, operation: DraftOperation): boolean {
  if (operation.op === 'delete_node') return findNode(view.graph, operation.nodeId) === undefined;
  return operation.op === 'delete_edge' && edgeIn(view, operation.key) === undefined;
}

/** Why an operation would overwrite or miss what others changed. */
function obstacle(changes: Changes, view: View, operation: DraftOperation): Outcome | null {
  switch (operation.op) {
    case 'create_node':
      return null;
    case 'update_node':
      return findNode(view.graph, operation.nodeId) === undefined ? nodeIsGone(operation.nodeId) : null;
    case 'delete_node': {
      const node = findNode(view.graph, operation.nodeId);
      const isChanged = node !== undefined && changes.changed.has(node.id);
      const reason = `Node '${operation.nodeId}' was not deleted, because somebody else changed it.`;
      return isChanged ? { kind: 'lost', reason } : null;
    }
    case 'create_edge':
      return missingEnd(changes, view, operation.edge);
    case 'update_edge': {
      const reason = 'Somebody else deleted this edge.';
      return edgeIn(view, operation.key) === undefined
        ? { kind: 'lost', reason }
        : missingEnd(changes, view, operation.changes);
    }
    case 'delete_edge':
      return null;
  }
}

function nodeIsGone(name: string): Outcome {
  return { kind: 'lost', reason: `Somebody else deleted node '${name}'.` };
}

function missingEnd({ deleted }: Changes, view: View, edge: Partial<EdgeFields>): Outcome | null {
  const ends = [edge.sourceNodeId, edge.targetNodeId].filter((name) => name !== undefined);
  const gone = ends.find((name) => deleted.has(name) && findNode(view.graph, name) === undefined);
  return gone === undefined ? null : nodeIsGone(gone);
}
