import type { JsonPath } from './json-rows.ts';
import { sequenceDiff } from './sequence-diff.ts';

/** A difference between two values. */
export interface JsonChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** In the second value; for what was removed, in the first. */
  readonly path: JsonPath;
  /** Where a moved item was. */
  readonly from?: JsonPath;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A list of differences nobody reads to its end. */
const maxChanges = 500;

/** The differences between two JSON values. Items of lists are matched by their `id`, else by what they have in common. */
export function jsonDiff(before: unknown, after: unknown): readonly JsonChange[] {
  const changes: JsonChange[] = [];
  compare(changes, [], before, after);
  return changes.slice(0, maxChanges);
}

function compare(changes: JsonChange[], path: JsonPath, before: unknown, after: unknown): void {
  if (before === after || changes.length > maxChanges) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(changes, path, before, after);
  else if (isPlain(before) && isPlain(after)) compareObjects(changes, path, before, after);
  else changes.push({ kind: 'changed', path, before, after });
}

type PlainObject = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compareObjects(changes: JsonChange[], path: JsonPath, before: PlainObject, after: PlainObject): void {
  for (const [name, value] of Object.entries(before)) {
    if (Object.hasOwn(after, name)) compare(changes, [...path, name], value, after[name]);
    else changes.push({ kind: 'removed', path: [...path, name], before: value });
  }
  for (const [name, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) changes.push({ kind: 'added', path: [...path, name], after: value });
  }
}

interface Item {
  readonly index: number;
  readonly value: unknown;
}

function compareLists(
  changes: JsonChange[],
  path: JsonPath,
  before: readonly unknown[],
  after: readonly unknown[],
): void {
  const ids = [idsOf(before), idsOf(after)] as const;
  const isById = ids[0] !== null && ids[1] !== null;
  const [first, second] = isById ? [ids[0] ?? [], ids[1] ?? []] : [before.map(textOf), after.map(textOf)];
  const removed: Item[] = [];
  const added: Item[] = [];
  let [i, j] = [0, 0];
  for (const { kind, items } of sequenceDiff(first, second)) {
    for (const _ of items) {
      // Items with the same id may differ in the rest.
      if (kind === 'same') compare(changes, [...path, j], before[i], after[j]);
      if (kind === 'removed') removed.push({ index: i, value: before[i] });
      if (kind === 'added') added.push({ index: j, value: after[j] });
      if (kind !== 'added') i += 1;
      if (kind !== 'removed') j += 1;
    }
  }
  pairItems(changes, { path, removed, added, keys: [first, second] });
}

interface Unpaired {
  readonly path: JsonPath;
  readonly removed: readonly Item[];
  readonly added: readonly Item[];
  readonly keys: readonly [readonly string[], readonly string[]];
}

/** Items that were only moved, those that changed in their place, and the rest. */
function pairItems(changes: JsonChange[], { path, removed, added, keys }: Unpaired): void {
  const left = new Map(added.map((item) => [item.index, item]));
  const take = (item: Item | undefined): Item | undefined => {
    if (item !== undefined) left.delete(item.index);
    return item;
  };
  const gone: Item[] = [];
  for (const item of removed) {
    const same = take([...left.values()].find(({ index }) => keys[1][index] === keys[0][item.index]));
    if (same === undefined) gone.push(item);
    else {
      changes.push({ kind: 'moved', path: [...path, same.index], from: [...path, item.index], after: same.value });
      compare(changes, [...path, same.index], item.value, same.value);
    }
  }
  for (const item of gone) {
    const there = take(left.get(item.index));
    if (there !== undefined) compare(changes, [...path, there.index], item.value, there.value);
    else changes.push({ kind: 'removed', path: [...path, item.index], before: item.value });
  }
  for (const item of left.values()) changes.push({ kind: 'added', path: [...path, item.index], after: item.value });
}

/** The ids of the items, if each has one of its own. */
function idsOf(items: readonly unknown[]): readonly string[] | null {
  const ids = items.map((item) => (isPlain(item) && item.id !== undefined ? textOf(item.id) : null));
  const known = ids.filter((id) => id !== null);
  return known.length === items.length && new Set(known).size === items.length ? known : null;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
