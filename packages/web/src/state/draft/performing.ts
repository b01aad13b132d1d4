import { type EditRules, isObject, type JsonObject, type NodeChanges } from '@millrace/core/editing';
import { conflictFrom, withConflicts } from './conflicts.ts';
import { type Draft, type Entry, maxEntries } from './draft.ts';
import { performed } from './inverse.ts';
import { Names } from './names.ts';
import { type DraftOperation, type Gesture, settled } from './operation.ts';
import { noChanges, replayed } from './replay.ts';

/** A new user action. */
export interface NewGesture extends Gesture {
  /** The field that is typed in: changes of one field without a pause are undone together. */
  readonly field?: string;
  /** Milliseconds. */
  readonly at: number;
}

/** A pause of this length while typing ends an entry of the undo list. */
const pauseMs = 1000;

/** The service accepts at most this many operations in a request, and a gesture is never divided. */
export const maxOperations = 2000;

/** The draft after a user action. @throws Problem if an operation violates a rule; nothing is changed then */
export function perform(rules: EditRules, draft: Draft, { field, at, ...given }: NewGesture): Draft {
  const gesture = { ...given, operations: settled(given.operations) };
  if (gesture.operations.length === 0) return draft;
  const { view, inverse } = performed(rules, draft.view, gesture.operations);
  const entry = { gestures: [gesture.id], label: gesture.label, operations: inverse, field: field ?? null, at };
  const last = draft.undo.at(-1);
  const isTyping = last !== undefined && draft.redo.length === 0 && continues(last, entry);
  if (!isTyping) {
    return { ...draft, view, pending: [...draft.pending, gesture], undo: pushed(draft.undo, entry), redo: [] };
  }
  const pending = withTyping(draft, last, gesture);
  const isMerged = pending.length === draft.pending.length;
  const gestures = isMerged ? last.gestures : [...last.gestures, gesture.id];
  return { ...draft, view, pending, undo: [...draft.undo.slice(0, -1), { ...last, gestures, at }] };
}

function continues(last: Entry, entry: Entry): boolean {
  return entry.field !== null && last.field === entry.field && entry.at - last.at <= pauseMs;
}

/** Text that is typed further replaces what was typed before, unless that was sent. */
function withTyping(draft: Draft, last: Entry, gesture: Gesture): readonly Gesture[] {
  const before = draft.pending.at(-1);
  const isUnsent = draft.pending.length > (draft.sending?.count ?? 0);
  const isSame = before !== undefined && before.id === last.gestures.at(-1);
  const merged = isUnsent && isSame ? mergedUpdate(before.operations, gesture.operations) : null;
  if (before === undefined || merged === null) return [...draft.pending, gesture];
  return [...draft.pending.slice(0, -1), { ...before, operations: [merged] }];
}

function mergedUpdate(first: readonly DraftOperation[], then: readonly DraftOperation[]): DraftOperation | null {
  const [a] = first;
  const [b] = then;
  if (first.length !== 1 || then.length !== 1 || a?.op !== 'update_node' || b?.op !== 'update_node') return null;
  if (a.nodeId !== b.nodeId || a.changes.nodeId !== undefined || b.changes.nodeId !== undefined) return null;
  return { ...a, changes: mergedChanges(a.changes, b.changes) };
}

function mergedChanges({ config: a, ...first }: NodeChanges, { config: b, ...then }: NodeChanges): NodeChanges {
  const fields = { ...first, ...then };
  if (a === undefined || b === undefined) {
    const config = b ?? a;
    return config === undefined ? fields : { ...fields, config };
  }
  const { extra_config: before } = a as JsonObject;
  const { extra_config: after } = b as JsonObject;
  const extra =
    isObject(before ?? null) && isObject(after ?? null)
      ? { ...(before as JsonObject), ...(after as JsonObject) }
      : (after ?? before);
  return { ...fields, config: { ...a, ...b, ...(extra !== undefined && { extra_config: extra }) } };
}

function pushed(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  return [...entries, entry].slice(-maxEntries);
}

/** The id of the gesture that an undo or redo becomes, and its time. */
export interface Moment {
  readonly id: string;
  readonly at: number;
}

/** The draft after an undo; what cannot be undone any more becomes a conflict. */
export function undo(rules: EditRules, draft: Draft, moment: Moment): Draft {
  const entry = draft.undo.at(-1);
  if (entry === undefined) return draft;
  const done = reversed(rules, draft, { entry, moment, label: `Undo: ${entry.label}` });
  return {
    ...done.draft,
    undo: draft.undo.slice(0, -1),
    redo: done.opposite === null ? draft.redo : pushed(draft.redo, done.opposite),
  };
}

/** The draft after a redo. */
export function redo(rules: EditRules, draft: Draft, moment: Moment): Draft {
  const entry = draft.redo.at(-1);
  if (entry === undefined) return draft;
  const done = reversed(rules, draft, { entry, moment, label: `Redo: ${entry.label}` });
  return {
    ...done.draft,
    redo: draft.redo.slice(0, -1),
    undo: done.opposite === null ? draft.undo : pushed(draft.undo, done.opposite),
  };
}

interface Reversal {
  readonly entry: Entry;
  readonly moment: Moment;
  readonly label: string;
}

/** Performs the operations of an entry as a gesture; its opposite is the entry of the other list. */
function reversed(
  rules: EditRules,
  draft: Draft,
  { entry, moment, label }: Reversal,
): { readonly draft: Draft; readonly opposite: Entry | null } {
  const changes = { ...noChanges, deleted: draft.gone };
  const gesture: Gesture = { id: moment.id, label, operations: entry.operations };
  const result = replayed({ rules, names: new Names(), changes }, draft.view, gesture);
  const isEmpty = result.gesture.operations.length === 0;
  const conflict = conflictFrom({ id: moment.id, label, lost: result.lost });
  const next = {
    ...draft,
    view: result.view,
    edgeIds: result.sameEdges.size === 0 ? draft.edgeIds : new Map([...draft.edgeIds, ...result.sameEdges]),
    pending: isEmpty ? draft.pending : [...draft.pending, result.gesture],
    conflicts: result.lost.length === 0 ? draft.conflicts : withConflicts(draft.conflicts, [conflict]),
  };
  const opposite: Entry = {
    gestures: [moment.id],
    label: entry.label,
    operations: result.inverse,
    field: null,
    at: moment.at,
  };
  return { draft: next, opposite: isEmpty ? null : opposite };
}

/** The draft with a conflict about operations that are not performed, because what they change has changed meanwhile. */
export function contested(rules: EditRules, draft: Draft, { id, label, operations }: Gesture): Draft {
  const marked = operations.map((operation) => ({ ...operation, isContested: true }) as DraftOperation);
  const context = { rules, names: new Names(), changes: noChanges };
  const { lost } = replayed(context, draft.view, { id, label, operations: marked });
  if (lost.length === 0) return draft;
  const reason = 'The value changed while it was typed.';
  const conflict = conflictFrom({ id, label, lost: lost.map((one) => ({ ...one, reason })) });
  return { ...draft, conflicts: withConflicts(draft.conflicts, [conflict]) };
}

/** The draft without a conflict that the user has seen. */
export function dismissed(draft: Draft, id: string): Draft {
  return { ...draft, conflicts: draft.conflicts.filter((conflict) => conflict.id !== id) };
}

/** The draft after another attempt at what was lost; what still cannot be done becomes a new conflict. */
export function attemptedAgain(
  rules: EditRules,
  draft: Draft,
  { conflict, moment }: { readonly conflict: string; readonly moment: Moment },
): Draft {
  const found = draft.conflicts.find(({ id }) => id === conflict);
  if (found === undefined) return draft;
  const entry: Entry = { gestures: [], label: found.label, operations: found.operations, field: null, at: moment.at };
  const done = reversed(rules, dismissed(draft, conflict), { entry, moment, label: found.label });
  return done.opposite === null ? done.draft : { ...done.draft, undo: pushed(draft.undo, done.opposite), redo: [] };
}
