import {
  appliedChanges,
  type Edge,
  type EditRules,
  type GraphChange,
  type Node,
  Problem,
  planned,
  type VersionedGraph,
} from '@millrace/core/editing';
import { type Conflict, type Draft, objectKey, type RemoteChange, type Sending } from './draft.ts';
import type { DraftOperation, Gesture } from './operation.ts';
import { maxOperations } from './performing.ts';
import { changesBetween, rebased } from './rebase.ts';
import { afterChanges } from './remote.ts';
import { noChanges } from './replay.ts';
import { changesIn, type View, viewOf, withEdgeIds } from './view.ts';

/** The answer of the service to a request. */
export interface SaveAnswer {
  readonly version: number;
  /** For each operation the object that it created or changed; null for a deletion. */
  readonly objects: readonly (Node | Edge | null)[];
}

/** The draft with a request for its first pending gestures; null if there is nothing to send. */
export function requested(
  draft: Draft,
  requestId: string,
): { readonly draft: Draft; readonly sending: Sending } | null {
  if (draft.sending !== null || draft.pending.length === 0 || draft.isUncertain) return null;
  const batch = firstBatch(draft.pending);
  const operations = batch.flatMap((gesture) => gesture.operations).map((operation) => withEdgeIds(operation, draft));
  const sending = { request: { requestId, version: draft.base.version, operations }, count: batch.length };
  return { draft: { ...draft, sending }, sending };
}

/** As many gestures as one request can contain: an edge has no id in the request that creates it. */
function firstBatch(pending: readonly Gesture[]): readonly Gesture[] {
  const batch: Gesture[] = [];
  const created = new Set<string>();
  let count = 0;
  for (const gesture of pending) {
    count += gesture.operations.length;
    const needsId = gesture.operations.some(
      ({ op, ...rest }) => op !== 'create_edge' && 'key' in rest && created.has(rest.key),
    );
    if (batch.length > 0 && (needsId || count > maxOperations)) break;
    batch.push(gesture);
    for (const operation of gesture.operations) if (operation.op === 'create_edge') created.add(operation.key);
  }
  return batch;
}

/** The draft after the service has saved what was sent. */
export function acknowledged(rules: EditRules, draft: Draft, answer: SaveAnswer): Draft {
  const count = draft.sending?.count ?? 0;
  const operations = draft.pending.slice(0, count).flatMap((gesture) => gesture.operations);
  const rest = { ...draft, pending: draft.pending.slice(count), sending: null, ownVersion: answer.version };
  const saved = savedBase(rules, draft, { operations, answer });
  if (saved === null) return { ...rest, isUncertain: true };
  return released(rules, rebased(rules, { ...rest, ...saved }, saved.base, noChanges));
}

interface Saved {
  readonly operations: readonly DraftOperation[];
  readonly answer: SaveAnswer;
}

/**
 * The graph of the service after a save, from the graph before it, the operations, and the objects of the answer. Null if
 * these rules would not have allowed it: then the graph is not what the service had, and must be read again.
 */
function savedBase(rules: EditRules, draft: Draft, saved: Saved): SavedBase | null {
  try {
    return appliedAnswer(rules, draft, saved);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

type SavedBase = Pick<Draft, 'base' | 'edgeIds' | 'knownFrom'>;

function appliedAnswer(rules: EditRules, draft: Draft, { operations, answer: { version, objects } }: Saved): SavedBase {
  const knownFrom = new Map(draft.knownFrom);
  const edgeIds = new Map(draft.edgeIds);
  let view: View = viewOf(draft.base, edgeIds);
  for (const [index, operation] of operations.entries()) {
    const object = objects[index] ?? null;
    const { changes, stored, graph } = withAnswer(rules, { ...view, edgeIds }, { operation, object, version });
    for (const [at, change] of changes.entries()) {
      const found = stored[at] ?? null;
      // An echo may correct what only follows from an operation. The answer itself is final.
      const id = stored[at]?.id ?? change.id;
      if (id === undefined) continue;
      const kind = change.kind.endsWith('node') ? 'node' : 'edge';
      const isFinal = found === null || found === object;
      knownFrom.set(objectKey(kind, id), isFinal ? version + 1 : version);
    }
    view = { ...view, graph };
    if (operation.op === 'create_edge' && object !== null) edgeIds.set(operation.key, object.id);
  }
  return { base: { ...view.graph, version }, edgeIds, knownFrom };
}

interface AnsweredOperation {
  readonly operation: DraftOperation;
  /** The object of the answer. */
  readonly object: Node | Edge | null;
  readonly version: number;
}

/** The graph of the service after one operation. @throws Problem if the rules would not have allowed it */
export function withAnswer(
  rules: EditRules,
  view: View,
  { operation, object, version }: AnsweredOperation,
): {
  readonly changes: readonly GraphChange[];
  readonly stored: readonly (Node | Edge | null)[];
  readonly graph: VersionedGraph;
} {
  const changes = changesIn(rules, view, operation);
  const stored = storedObjects(changes, object);
  return { changes, stored, graph: appliedChanges(view.graph, changes, { version, saved: stored }) };
}

/** The objects that the service has stored for the changes of one operation. */
function storedObjects(changes: readonly GraphChange[], object: Node | Edge | null): readonly (Node | Edge | null)[] {
  const [first] = changes;
  const isOwn = object !== null && first !== undefined && first.kind !== 'delete_node' && first.kind !== 'delete_edge';
  const temporaryId = first?.kind === 'create_node' ? first.id : undefined;
  return changes.map((change, index) => {
    if (index === 0 && isOwn) return object;
    const stored = planned(change);
    if (stored === null || !('nodeId' in stored) || temporaryId === undefined) return stored;
    const isLinked = stored.config.llm_model_config_id === temporaryId;
    return isLinked ? { ...stored, config: { ...stored.config, llm_model_config_id: object?.id ?? null } } : stored;
  });
}

/** The draft on the graph that the service has in place of the expected version. Nothing of the request was saved. */
export function stale(rules: EditRules, draft: Draft, graph: VersionedGraph): Draft {
  return received(rules, { ...draft, sending: null }, [
    { kind: 'graph', version: graph.version, graph },
    ...draft.held,
  ]);
}

/** The draft without a gesture that the service rejects, and with the conflict that says so. */
export function rejected(rules: EditRules, draft: Draft, { index, message }: Rejection): Draft {
  const sent = draft.pending.slice(0, draft.sending?.count ?? 0);
  const gesture = gestureAt(sent, index);
  if (gesture === undefined) return released(rules, { ...draft, sending: null });
  const { id, label, operations } = gesture;
  const conflict: Conflict = { id, label, reasons: [message], operations, isRejected: true };
  const rest = {
    ...draft,
    sending: null,
    pending: draft.pending.filter((other) => other !== gesture),
    undo: draft.undo.filter(({ gestures }) => !gestures.includes(id)),
    redo: draft.redo.filter(({ gestures }) => !gestures.includes(id)),
    conflicts: [...draft.conflicts, conflict],
  };
  return released(rules, rebased(rules, rest, draft.base, noChanges));
}

/** Why the service rejected a request. */
export interface Rejection {
  /** The operation that violates a rule. */
  readonly index: number;
  readonly message: string;
}

function gestureAt(gestures: readonly Gesture[], index: number): Gesture | undefined {
  let end = 0;
  return gestures.find(({ operations }) => {
    end += operations.length;
    return index < end;
  });
}

function released(rules: EditRules, draft: Draft): Draft {
  return received(rules, { ...draft, held: [] }, draft.held);
}

/** The draft after changes that the service announced. While a request has no answer, they wait. */
export function received(rules: EditRules, draft: Draft, changes: readonly RemoteChange[]): Draft {
  if (draft.sending !== null) return { ...draft, held: [...draft.held, ...changes] };
  // What follows from an own operation, such as a changed name in a text, is no edit of somebody else.
  const own = changes.filter(({ version }) => version <= draft.ownVersion);
  if (own.length > 0 && own.length < changes.length) {
    const others = changes.filter(({ version }) => version > draft.ownVersion);
    return received(rules, received(rules, draft, own), others);
  }
  const next = afterChanges(draft, changes);
  const isUncertain = draft.isUncertain && !changes.some(({ kind }) => kind === 'graph');
  const free = { ...draft, held: [], readVersion: next.readVersion, isUncertain };
  if (next.base === draft.base) return free;
  const between = changesBetween(draft.base, next.base);
  const others = own.length === 0 ? between : { ...between, nodes: noChanges.nodes, edges: noChanges.edges };
  return rebased(rules, { ...free, knownFrom: next.knownFrom }, next.base, others);
}
