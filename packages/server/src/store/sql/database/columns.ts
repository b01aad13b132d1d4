import { formatInstant, type Instant, type Json, parseInstant, roundInstant } from '@millrace/core';

/** How values are stored in columns. SQLite has no boolean, date or JSON type. */
export type Bit = 0 | 1;

/** A boolean as it is stored in a column. */
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

/** Whether a text is a timestamp in the stored form: any other text is damaged, and cannot be ordered by time. */
export function isMoment(text: string): boolean {
  return formatInstant(parseInstant(text)) === text;
}

/** The instant as it will be read back: columns store microseconds. */
export function storedInstant(at: Instant): Instant {
  return roundInstant(at);
}

/** NULL for null: for columns in which "none" is not JSON's null. */
export function jsonOrNull(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Reads a text that `jsonOrNull` wrote. The type is the writer's: only this store writes these columns. */
export function parseJsonOrNull<T extends Json>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** The same for optional values: a damaged text gives `instead`. */
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

/** The row of a statement that always returns one, such as INSERT … RETURNING. */
export function expectRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('A statement that always returns a row returned none.');
  return row;
}
