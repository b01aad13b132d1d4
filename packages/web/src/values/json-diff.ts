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

/** Steps for all lists of two values together, about 0.1 s. */
const maxListWork = 20_000_000;

/** The differences between two JSON values. Items of lists are matched by their `id`, else by what they have in common. */
export function jsonDiff(before: unknown, after: unknown): readonly JsonChange[] {
  const comparison = new Comparison();
  comparison.compare([], before, after);
  return comparison.changes.slice(0, maxChanges);
}

type PlainObject = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Item {
  readonly index: number;
  readonly value: unknown;
  /** Items with the same key are the same item. */
  readonly key: string;
}

interface Unpaired {
  readonly removed: readonly Item[];
  readonly added: readonly Item[];
}

class Comparison {
  readonly changes: JsonChange[] = [];
  readonly #work = { left: maxListWork };

  compare(path: JsonPath, before: unknown, after: unknown): void {
    if (before === after || this.#isFull) return;
    if (Array.isArray(before) && Array.isArray(after)) this.#compareLists(path, before, after);
    else if (isPlain(before) && isPlain(after)) this.#compareObjects(path, before, after);
    else this.changes.push({ kind: 'changed', path, before, after });
  }

  get #isFull(): boolean {
    return this.changes.length > maxChanges;
  }

  #compareObjects(path: JsonPath, before: PlainObject, after: PlainObject): void {
    for (const [name, value] of Object.entries(before)) {
      if (Object.hasOwn(after, name)) this.compare([...path, name], value, after[name]);
      else this.changes.push({ kind: 'removed', path: [...path, name], before: value });
    }
    for (const [name, value] of Object.entries(after)) {
      if (!Object.hasOwn(before, name)) this.changes.push({ kind: 'added', path: [...path, name], after: value });
    }
  }

  #compareLists(path: JsonPath, before: readonly unknown[], after: readonly unknown[]): void {
    const [first, second] = keysOf(before, after);
    const removed: Item[] = [];
    const added: Item[] = [];
    let [i, j] = [0, 0];
    for (const { kind, items } of sequenceDiff(first, second, this.#work)) {
      for (const key of items) {
        // Items with the same id may differ in the rest.
        if (kind === 'same') this.compare([...path, j], before[i], after[j]);
        if (kind === 'removed') removed.push({ index: i, value: before[i], key });
        if (kind === 'added') added.push({ index: j, value: after[j], key });
        if (kind !== 'added') i += 1;
        if (kind !== 'removed') j += 1;
      }
    }
    this.#pairItems(path, { removed, added });
  }

  /** Items that were only moved, those that changed in their place, and the rest. */
  #pairItems(path: JsonPath, { removed, added }: Unpaired): void {
    const left = new Map(added.map((item) => [item.index, item]));
    // The last of each list is the first that was added.
    const byKey = Map.groupBy(added.toReversed(), ({ key }) => key);
    const gone: Item[] = [];
    for (const item of removed) {
      if (this.#isFull) return;
      const same = byKey.get(item.key)?.pop();
      if (same === undefined) gone.push(item);
      else {
        left.delete(same.index);
        this.changes.push({
          kind: 'moved',
          path: [...path, same.index],
          from: [...path, item.index],
          after: same.value,
        });
        this.compare([...path, same.index], item.value, same.value);
      }
    }
    for (const item of gone) {
      if (this.#isFull) return;
      const there = left.get(item.index);
      left.delete(item.index);
      if (there !== undefined) this.compare([...path, there.index], item.value, there.value);
      else this.changes.push({ kind: 'removed', path: [...path, item.index], before: item.value });
    }
    for (const item of left.values())
      this.changes.push({ kind: 'added', path: [...path, item.index], after: item.value });
  }
}

/** What items of two lists are matched by. */
function keysOf(
  before: readonly unknown[],
  after: readonly unknown[],
): readonly [readonly string[], readonly string[]] {
  const [first, second] = [idsOf(before), idsOf(after)];
  return first !== null && second !== null ? [first, second] : [before.map(textOf), after.map(textOf)];
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
