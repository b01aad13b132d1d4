import type { Node } from '@millrace/core/editing';
import { type ContestedValue, withPresent } from './contested.ts';
import type { Conflict } from './draft.ts';
import type { LostOperation } from './replay.ts';

interface LostGesture {
  readonly id: string;
  readonly label: string;
  readonly lost: readonly LostOperation[];
}

/** The conflict about the operations of a gesture that were not applied. */
export function conflictFrom({ id, label, lost }: LostGesture): Conflict {
  const values = lost.flatMap((one) => one.values ?? []);
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

function withConflict(known: readonly Conflict[], added: Conflict): readonly Conflict[] {
  const same = known.find(({ id }) => id === added.id);
  const conflict = same === undefined ? added : merged(same, added);
  const places = new Set(added.values?.map(placeOf));
  const earlier = known.filter((one) => one !== same && isWithin(one, places));
  const others = known.filter((one) => one !== same && !earlier.includes(one));
  // In the order in which they were made, so that the newest value is the one that stays.
  const operations = [...earlier.flatMap((one) => one.operations), ...conflict.operations];
  return [...others, { ...conflict, operations }];
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

/** Whether a conflict is about nothing but values at some places. */
function isWithin({ values, reasons }: Conflict, places: ReadonlySet<string>): boolean {
  return values !== undefined && reasons.length === 1 && values.every((value) => places.has(placeOf(value)));
}

function placeOf({ owner, path }: ContestedValue): string {
  return `${owner} ${path}`;
}
