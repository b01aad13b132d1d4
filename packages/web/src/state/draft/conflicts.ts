import type { Node } from '@millrace/core/editing';
import { type ContestedValue, reasonFor, targetOf, updatedValues, updateOf, withPresent } from './contested.ts';
import type { Conflict } from './draft.ts';
import type { DraftOperation } from './operation.ts';
import type { LostOperation } from './replay.ts';

interface LostGesture {
  readonly id: string;
  readonly label: string;
  readonly lost: readonly LostOperation[];
}

/** The conflict about the operations of a gesture that were not applied. */
export function conflictFrom({ id, label, lost }: LostGesture): Conflict {
  const values = lost.flatMap(({ operation, values: contested = [] }) =>
    contested.map((value) => ({ ...value, ...targeted(operation) })),
  );
  return {
    id,
    label,
    reasons: [...new Set(lost.map(({ reason }) => reason))],
    operations: lost.map(({ operation }) => operation),
    ...(values.length > 0 && { values }),
  };
}

/** The conflicts with newer ones. A gesture has one conflict, and a value is in one: the newest. */
export function withConflicts(known: readonly Conflict[], added: readonly Conflict[]): readonly Conflict[] {
  return added.reduce(withConflict, known);
}

/** The conflicts with what others have changed since. */
export function withPresentValues(conflicts: readonly Conflict[], nodes: readonly Node[]): readonly Conflict[] {
  return conflicts.map((conflict) => {
    const { values = [] } = conflict;
    const present = values.map((value) => withPresent(value, nodes));
    return present.every((value, index) => value === values[index]) ? conflict : { ...conflict, values: present };
  });
}

/** What a person wanted to change in a node and cannot any more: somebody else deleted the node. */
export function lostValues({ values = [], operations }: Conflict): readonly Omit<ContestedValue, 'theirs'>[] {
  const shown = new Set(values.map(({ target, owner }) => target ?? owner));
  return operations.flatMap((operation) => {
    // A key says nothing to a person.
    if (operation.op !== 'update_node' || shown.has(operation.nodeId)) return [];
    const kept = [...updatedValues(operation)].filter(([path]) => path !== 'position');
    return kept.map(([path, mine]) => ({ owner: operation.nodeId, path, mine }));
  });
}

function targeted(operation: DraftOperation): { readonly target?: string } {
  const target = targetOf(operation);
  return target === null ? {} : { target };
}

function withConflict(known: readonly Conflict[], added: Conflict): readonly Conflict[] {
  const places = new Set(added.values?.map(placeOf));
  const divided = known.map((one) => dividedConflict(one, places));
  const same = divided.find(({ rest }) => rest?.id === added.id)?.rest;
  const conflict = same ? merged(same, added) : added;
  const others = divided.flatMap(({ rest }) => (rest === null || rest === same ? [] : [rest]));
  // In the order in which they were made, so that the newest value is the one that stays.
  const operations = [...divided.flatMap(({ replaced }) => replaced), ...conflict.operations];
  return [...others, { ...conflict, operations }];
}

interface DividedConflict {
  /** The conflict without the values at some places; null if nothing is left. */
  readonly rest: Conflict | null;
  /** What would change these values. */
  readonly replaced: readonly DraftOperation[];
}

function dividedConflict(conflict: Conflict, places: ReadonlySet<string>): DividedConflict {
  const { values: _values, ...others } = conflict;
  const values = conflict.values ?? [];
  if (values.length === 0) return { rest: conflict, replaced: [] };
  const kept = values.filter((value) => !places.has(placeOf(value)));
  const parts = conflict.operations.map((operation) => dividedOperation(operation, places));
  const operations = parts.flatMap(({ free }) => free ?? []);
  const replaced = parts.flatMap((part) => part.replaced ?? []);
  if (replaced.length === 0) return { rest: conflict, replaced };
  if (operations.length === 0) return { rest: null, replaced };
  const reasons = reasonsWithout(conflict.reasons, values, kept);
  return { rest: { ...others, reasons, operations, ...(kept.length > 0 && { values: kept }) }, replaced };
}

function dividedOperation(operation: DraftOperation, places: ReadonlySet<string>) {
  if (operation.op !== 'update_node' && operation.op !== 'update_edge') return { free: operation, replaced: null };
  const isReplaced = (path: string): boolean => places.has(`${targetOf(operation)} ${path}`);
  return {
    free: updateOf(operation, (path) => !isReplaced(path)),
    replaced: updateOf(operation, isReplaced),
  };
}

/** A reason names the values that are left. */
function reasonsWithout(
  reasons: readonly string[],
  before: readonly ContestedValue[],
  after: readonly ContestedValue[],
): readonly string[] {
  const owners = new Set(before.map(({ owner }) => owner));
  const changed = new Map(
    [...owners].map((owner) => {
      const [known, left] = [before, after].map((values) => values.filter((value) => value.owner === owner));
      return [reasonFor(known ?? []), left === undefined || left.length === 0 ? null : reasonFor(left)] as const;
    }),
  );
  return [...new Set(reasons.flatMap((reason) => (changed.has(reason) ? (changed.get(reason) ?? []) : [reason])))];
}

function merged(one: Conflict, other: Conflict): Conflict {
  const values = [...(one.values ?? []), ...(other.values ?? [])];
  return {
    ...other,
    reasons: [...new Set([...one.reasons, ...other.reasons])],
    operations: [...one.operations, ...other.operations],
    ...(values.length > 0 && { values }),
  };
}

function placeOf({ owner, target, path }: ContestedValue): string {
  return `${target ?? owner} ${path}`;
}
