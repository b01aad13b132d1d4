import { exactJson } from '@millrace/core/editing';
import type { Values } from './control.ts';

/** One row of a form for names and values. A map cannot have the same name twice, but rows can while they are typed. */
export interface Entry {
  readonly id: number;
  readonly name: string;
  readonly value: unknown;
}

/** The rows for a map. Rows that already show the map stay, so that their order and their empty rows do too. */
export function entriesOf(values: Values, before: readonly Entry[]): readonly Entry[] {
  if (isSame(valuesFrom(before), values)) return before;
  return Object.entries(values).map(([name, value], id) => ({ id, name, value }));
}

/** The map that rows mean: rows without a name are left out, and the first of equal names counts. */
export function valuesFrom(entries: readonly Entry[]): Values {
  const map = new Map<string, unknown>();
  for (const { name, value } of entries) if (name !== '' && !map.has(name)) map.set(name, value);
  return Object.fromEntries(map);
}

/** The names that occur in several rows. */
export function duplicateNames(entries: readonly Entry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of entries) {
    if (name !== '' && seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return twice;
}

function isSame(one: Values, other: Values): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value that a text in a map means: JSON if it is a number, true, false, null, a list or an object; else text. */
export function mapValue(text: string): unknown {
  if (!/^(-?\d|true$|false$|null$|"|\[|\{(?!\{))/.test(text.trim())) return text;
  try {
    return exactJson(text);
  } catch {
    return text;
  }
}

/** The text of such a value. A text that looks like JSON is in quotes. */
export function mapText(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? '' : JSON.stringify(value);
  return typeof mapValue(value) === 'string' ? value : JSON.stringify(value);
}
