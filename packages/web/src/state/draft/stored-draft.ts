import { type EditRules, type Graph, Problem, type VersionedGraph } from '@millrace/core/editing';
import { type Conflict, type Draft, type Entry, newDraft, type Sending } from './draft.ts';
import type { DraftOperation, Gesture } from './operation.ts';
import { changesBetween, rebased } from './rebase.ts';
import { type SaveAnswer, withAnswer } from './saving.ts';
import { edgeIn, type View, viewOf } from './view.ts';

/** What a page stores of a draft: all that the service does not have. It is JSON. */
export interface StoredDraft {
  /** Changes of this format get a new number; drafts of another format are not read. */
  readonly format: 1;
  readonly pending: readonly Gesture[];
  readonly sending: Sending | null;
  readonly undo: readonly Entry[];
  readonly redo: readonly Entry[];
  readonly edgeIds: readonly (readonly [string, number])[];
  /** Conflicts that a person has not decided yet. */
  readonly conflicts?: readonly Conflict[];
  /** The objects that the pending gestures and the entries of undo and redo name, as they were. */
  readonly seen: Graph;
  /** Whether `seen` may differ from what the service had then. */
  readonly isUncertain?: boolean;
}

/** So many nodes of entries of undo and redo are stored: the draft is stored with each edit, and has little room. */
const seenNodes = 200;

/** The form of a draft that survives the page. */
export function storedDraft(draft: Draft): StoredDraft {
  const { base, pending, sending, undo, redo, edgeIds, conflicts, isUncertain } = draft;
  const done = [...namesOf([...redo, ...undo].toReversed(), draft)].slice(0, seenNodes);
  const seen = seenObjects(base, new Set([...namesOf(pending, draft), ...done]));
  return { format: 1, pending, sending, undo, redo, edgeIds: [...edgeIds], conflicts, seen, isUncertain };
}

/** The names of the nodes that operations change, and of those at the ends of edges. */
function namesOf(given: readonly Pick<Gesture, 'operations'>[], { base, edgeIds }: Draft): ReadonlySet<string> {
  const operations = given.flatMap((one) => one.operations);
  const names = new Set(operations.flatMap(namesIn));
  for (const operation of operations) {
    const edge = 'key' in operation ? edgeIn({ graph: base, edgeIds }, operation.key) : undefined;
    if (edge !== undefined) names.add(edge.sourceNodeId).add(edge.targetNodeId);
  }
  return names;
}

function seenObjects(base: Graph, names: ReadonlySet<string>): Graph {
  const nodes = base.nodes.filter(({ nodeId }) => names.has(nodeId));
  const edges = base.edges.filter((edge) => names.has(edge.sourceNodeId) || names.has(edge.targetNodeId));
  return { nodes, edges };
}

function namesIn(operation: DraftOperation): readonly string[] {
  switch (operation.op) {
    case 'create_node':
      return [];
    case 'update_node':
    case 'delete_node':
      return [operation.nodeId];
    case 'create_edge':
      return [operation.edge.sourceNodeId, operation.edge.targetNodeId];
    case 'update_edge':
      return [operation.changes.sourceNodeId, operation.changes.targetNodeId].filter((name) => name !== undefined);
    case 'delete_edge':
      return [];
  }
}

/** The stored draft after the answer to the request that it had sent; null if nothing of it was saved. */
export function answered(rules: EditRules, stored: StoredDraft, answer: SaveAnswer | null): StoredDraft {
  if (stored.sending === null || answer === null) return { ...stored, sending: null };
  const { count } = stored.sending;
  const { version, objects } = answer;
  const edgeIds = new Map(stored.edgeIds);
  let view = viewOf({ ...stored.seen, version }, edgeIds);
  let isUncertain = stored.isUncertain ?? false;
  const operations = stored.pending.slice(0, count).flatMap((gesture) => gesture.operations);
  for (const [index, operation] of operations.entries()) {
    const object = objects[index] ?? null;
    const graph = seenAfter(rules, { ...view, edgeIds }, { operation, object, version });
    view = { ...view, graph: graph ?? view.graph };
    isUncertain ||= graph === null;
    if (operation.op === 'create_edge' && object !== null) edgeIds.set(operation.key, object.id);
  }
  const { nodes, edges } = view.graph;
  return {
    ...stored,
    pending: stored.pending.slice(count),
    sending: null,
    edgeIds: [...edgeIds],
    seen: { nodes, edges },
    isUncertain,
  };
}

/** Null if the operation concerns what is not among the stored objects. */
function seenAfter(rules: EditRules, view: View, answer: Parameters<typeof withAnswer>[2]): VersionedGraph | null {
  try {
    return withAnswer(rules, view, answer).graph;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** The draft of a page that was opened again. The request that it had sent must have its answer: see `answered`. */
export function reopened(rules: EditRules, stored: StoredDraft, graph: VersionedGraph): Draft {
  const { pending, undo, redo, edgeIds, conflicts = [], seen, isUncertain } = stored;
  const draft: Draft = { ...newDraft(graph), pending, undo, redo, conflicts, edgeIds: new Map(edgeIds) };
  // Of an uncertain draft, own edits may be among the changes: only the pending gestures are compared with them.
  return rebased(rules, draft, graph, { ...changesBetween(seen, graph), areOfOthers: isUncertain !== true });
}
