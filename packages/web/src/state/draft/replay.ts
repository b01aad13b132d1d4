import {
  type Edge,
  type EdgeFields,
  type EditRules,
  findNode,
  firstNewId,
  type Graph,
  type Node,
  Problem,
  type Rename,
  sameEdge,
} from '@millrace/core/editing';
import {
  type ChangedObject,
  type ContestedValue,
  differingValues,
  dividedEdgeUpdate,
  dividedNodeUpdate,
  edgeName,
  reasonFor,
} from './contested.ts';
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
  /** By id: the nodes and edges that others changed in any way. */
  readonly nodes: ReadonlyMap<number, ChangedObject<Node>>;
  readonly edges: ReadonlyMap<number, ChangedObject<Edge>>;
  /** Whether all of them are certainly edits of others. */
  readonly areOfOthers: boolean;
}

export const noChanges: Changes = {
  renames: [],
  deleted: new Set(),
  changed: new Set(),
  nodes: new Map(),
  edges: new Map(),
  areOfOthers: true,
};

/** An operation that cannot be applied any more. */
export interface LostOperation {
  readonly operation: DraftOperation;
  /** One sentence. */
  readonly reason: string;
  /** The values that others changed as well. */
  readonly values?: readonly ContestedValue[];
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
    const present = withFreeName(presentOperation(given, context, view), names, view);
    const { operation, contested } = divided(context, view, present);
    if (contested !== null) lost.push(contested);
    if (operation === null) continue;
    const outcome = attempt(context, view, operation);
    if (outcome.kind === 'lost') lost.push({ operation, reason: outcome.reason });
    if (outcome.kind === 'same' && outcome.contested !== null) lost.push(outcome.contested);
    if (outcome.kind === 'same') sameEdges.set(outcome.key, outcome.id);
    if (outcome.kind === 'applied' || outcome.kind === 'same') view = outcome.view;
    if (outcome.kind === 'applied') operations.push(...outcome.operations);
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

interface DividedOperation {
  /** What nobody else changed; null if that is nothing. */
  readonly operation: DraftOperation | null;
  readonly contested: LostOperation | null;
}

/** Divides an operation into what it can change, and the values that others changed meanwhile. */
function divided({ changes, names, rules }: Replaying, view: View, operation: DraftOperation): DividedOperation {
  if ('isContested' in operation) return { operation: null, contested: contestedNow(view, operation) };
  const parts = partsOf(operation, view, { changes, rules });
  if (parts === null) return { operation, contested: null };
  const { free, contested, values } = parts;
  const taken = contested.op === 'update_node' ? contested.changes.nodeId : undefined;
  // The name that others gave it stays.
  if (contested.op === 'update_node' && taken !== undefined) names.given(taken, contested.nodeId);
  return { operation: free, contested: { operation: contested, reason: reasonFor(values), values } };
}

function partsOf(operation: DraftOperation, view: View, { changes, rules }: Pick<Replaying, 'changes' | 'rules'>) {
  if (operation.op === 'update_node') {
    const node = findNode(view.graph, operation.nodeId);
    const change = node && changes.nodes.get(node.id);
    return change === undefined ? null : dividedNodeUpdate(operation, withRenames(change, { changes, rules }));
  }
  if (operation.op !== 'update_edge') return null;
  const edge = edgeIn(view, operation.key);
  const change = edge && changes.edges.get(edge.id);
  return change === undefined ? null : dividedEdgeUpdate(operation, change);
}

/** A renamed node changes the texts that name it. That is no change of these texts. */
function withRenames(
  { before, after }: ChangedObject<Node>,
  { changes, rules }: Pick<Replaying, 'changes' | 'rules'>,
): ChangedObject<Node> {
  let renamed = before;
  for (const rename of changes.renames) renamed = { ...renamed, config: rules.renamed(renamed, rename) };
  return { before: renamed, after };
}

/** An operation for an undo, in the parts that others left alone and those that they changed. */
export function marked(
  operation: DraftOperation,
  view: View,
  context: Pick<Replaying, 'changes' | 'rules'>,
): readonly DraftOperation[] {
  const { changes } = context;
  if (!changes.areOfOthers) return [operation];
  if (operation.op === 'create_node' || operation.op === 'create_edge' || 'isContested' in operation)
    return [operation];
  if (operation.op === 'delete_node') {
    const node = findNode(view.graph, operation.nodeId);
    return [node !== undefined && changes.changed.has(node.id) ? { ...operation, isContested: true } : operation];
  }
  if (operation.op === 'delete_edge') {
    const edge = edgeIn(view, operation.key);
    return [edge !== undefined && changes.edges.has(edge.id) ? { ...operation, isContested: true } : operation];
  }
  const parts = partsOf(operation, view, context);
  if (parts === null) return [operation];
  return [...(parts.free === null ? [] : [parts.free]), { ...parts.contested, isContested: true }];
}

/** What an undo would overwrite; null if it would change nothing. */
function contestedNow(
  view: View,
  operation: Exclude<DraftOperation, { op: 'create_node' | 'create_edge' }>,
): LostOperation | null {
  const { isContested: _mark, ...rest } = operation;
  const given = rest as DraftOperation;
  if (isDone(view, given)) return null;
  if (given.op === 'delete_node') return { operation: given, reason: notDeleted(`Node '${given.nodeId}'`) };
  const edge = 'key' in given ? edgeIn(view, given.key) : undefined;
  if (given.op === 'delete_edge') return { operation: given, reason: notDeleted(edgeTitle(edge)) };
  const present = given.op === 'update_node' ? findNode(view.graph, given.nodeId) : edge;
  if (present === undefined || !('changes' in given)) return { operation: given, reason: 'Somebody else deleted it.' };
  const values = differingValues(given.changes, present);
  return values.length === 0 ? null : { operation: given, reason: reasonFor(values), values };
}

function notDeleted(name: string): string {
  return `${name} was not deleted, because somebody else changed it.`;
}

function edgeTitle(edge: Edge | undefined): string {
  return edge === undefined ? 'The connection' : `The connection ${edgeName(edge)}`;
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
  /** What differs. */
  readonly contested: LostOperation | null;
  readonly key: string;
  readonly id: number;
  readonly view: View;
}

function attempt(context: Replaying, view: View, operation: DraftOperation): Outcome {
  const early = isDone(view, operation) ? ({ kind: 'done' } as const) : obstacle(context.changes, view, operation);
  if (early !== null) return early;
  try {
    return { kind: 'applied', view: viewAfter(context.rules, view, operation), operations: [operation] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return sameEdgeAs(view, operation) ?? { kind: 'lost', reason: error.message };
  }
}

function sameEdgeAs(before: View, operation: DraftOperation): SameEdge | null {
  const same = operation.op === 'create_edge' ? sameEdge(before.graph, operation.edge) : undefined;
  if (operation.op !== 'create_edge' || same === undefined || same.id >= firstNewId) return null;
  const { key, edge } = operation;
  const view: View = { ...before, edgeIds: new Map(before.edgeIds).set(key, same.id) };
  const { priority, conditionMapping } = edge;
  const changes = { priority, conditionMapping };
  const values = differingValues(changes, same);
  const update = { op: 'update_edge', key, changes } as const;
  const contested = values.length === 0 ? null : { operation: update, reason: reasonFor(values), values };
  return { kind: 'same', key, id: same.id, view, contested };
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
      return isChanged ? { kind: 'lost', reason: notDeleted(`Node '${operation.nodeId}'`) } : null;
    }
    case 'create_edge':
      return missingEnd(changes, view, operation.edge);
    case 'update_edge': {
      const reason = 'Somebody else deleted this edge.';
      return edgeIn(view, operation.key) === undefined
        ? { kind: 'lost', reason }
        : missingEnd(changes, view, operation.changes);
    }
    case 'delete_edge': {
      const edge = edgeIn(view, operation.key);
      return edge !== undefined && changes.edges.has(edge.id)
        ? { kind: 'lost', reason: notDeleted(edgeTitle(edge)) }
        : null;
    }
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
