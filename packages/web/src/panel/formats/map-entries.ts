import { exactJson, exactJsonText, isObject } from '@millrace/core/editing';
import type { Format, Reading } from '../../state/fields/field-draft.ts';
import { rowsOf } from './text-rows.ts';
import { typedNumber } from './typed-number.ts';
import { asValues } from './values.ts';

/** One row of a form for names and values. A map cannot have the same name twice, but rows can while they are typed. */
export interface Entry {
  readonly name: string;
  /** The text of the value. */
  readonly text: string;
}

/** How the rows of a map are written: as JSON. @param hasTexts whether all values are texts */
export function mapFormat(hasTexts: boolean): Format {
  const meaning = (text: string): unknown => (hasTexts ? text : mapValue(text));
  const textOf = (value: unknown): string => (hasTexts && typeof value === 'string' ? value : mapText(value));
  return {
    read: (text) => valuesFrom(entriesIn(text), meaning),
    show: (value) =>
      entriesText(Object.entries(asValues(value)).map(([name, given]) => ({ name, text: textOf(given) }))),
  };
}

/** The rows that a text contains. */
export function entriesIn(text: string): readonly Entry[] {
  return rowsOf(text).flatMap((row) => {
    if (!isObject(row)) return [];
    const { name, text: value } = row;
    return typeof name === 'string' && typeof value === 'string' ? [{ name, text: value }] : [];
  });
}

export function entriesText(entries: readonly Entry[]): string {
  return entries.length === 0 ? '' : JSON.stringify(entries);
}

/** The map that rows mean. A row without anything in it is none. */
function valuesFrom(entries: readonly Entry[], meaning: (text: string) => unknown): Reading {
  const filled = entries.filter(({ name, text }) => name !== '' || text !== '');
  const [twice] = duplicateNames(filled);
  if (twice !== undefined) return { problem: `The name ${twice} occurs twice.` };
  if (filled.some(({ name }) => name === '')) return { problem: 'A value has no name.' };
  if (filled.length === 0) return { value: undefined };
  return { value: Object.fromEntries(filled.map(({ name, text }) => [name, meaning(text)])) };
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

/**
 * The value that a text in a map means: JSON if it is true, false, null, a list, an object, or a number with the same text;
 * else text.
 */
export function mapValue(text: string): unknown {
  if (/^-?\d/.test(text.trim())) return typedNumber(text) ?? text;
  if (!/^(true$|false$|null$|"|\[|\{(?!\{))/.test(text.trim())) return text;
  try {
    return exactJson(text);
  } catch {
    return text;
  }
}

/** The text of such a value. A text that looks like JSON is in quotes. */
export function mapText(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? '' : exactJsonText(value);
  return mapValue(value) === value ? value : JSON.stringify(value);
}
