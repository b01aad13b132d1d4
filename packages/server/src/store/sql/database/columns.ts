import { formatInstant, type Instant, type Json, parseInstant, roundInstant } from '@millrace/core';

/** How values are kept in columns. SQLite has no boolean, no date and no JSON type of its own. */
export type Bit = 0 | 1;

/** A boolean as its column keeps it. */
export function toBit(value: boolean): Bit {
  return value ? 1 : 0;
}

/** For columns that may be NULL. */
export function formatInstantOrNull(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at);
}

/** For columns that may be NULL. */
export function parseInstantOrNull(text: string | null): Instant | null {
  return text === null ? null : parseInstant(text);
}

/** Whether a text is the one that its moment is written as: any other one is damaged, and has no place in an order of time. */
export function isMoment(text: string): boolean {
  return formatInstant(parseInstant(text)) === text;
}

/** The moment as it will be read back: columns keep microseconds. */
export function storedInstant(at: Instant): Instant {
  return roundInstant(at);
}

/** NULL for null: for columns in which "none" is not JSON's null. */
export function jsonOrNull(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Reads what `jsonOrNull` wrote. The type is the writer's: only this store writes these columns. */
export function parseJsonOrNull<T extends Json>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** The same for what can be shown without it: a damaged text is `instead`. */
export function readJson<T extends Json>(
  text: string | null,
  is: (value: Json) => value is T,
  instead: T | null,
): T | null {
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Json;
    return is(value) ? value : instead;
  } catch {
    return instead;
  }
}

/** The row of a statement that always gives one, such as INSERT … RETURNING. */
export function expectRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('A statement that always returns a row returned none.');
  return row;
}
