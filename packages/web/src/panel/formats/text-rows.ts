import type { Json } from '@millrace/core/editing';
import type { Format } from '../../state/fields/field-draft.ts';
import { asList, textOf } from './values.ts';

/** How the rows of a list of texts are written: as JSON. Empty rows are not stored. */
export const rowsFormat: Format = {
  read: (text) => {
    const filled = rowsIn(text).filter((row) => row !== '');
    return { value: filled.length === 0 ? undefined : filled };
  },
  show: (value) => rowsText(asList(value).map(textOf)),
};

/** The rows that a text contains. */
export function rowsIn(text: string): readonly string[] {
  return rowsOf(text).filter((row) => typeof row === 'string');
}

/** The items of a list that is written as JSON; none if it is something else. */
export function rowsOf(text: string): readonly Json[] {
  try {
    const rows = JSON.parse(text) as Json;
    return Array.isArray(rows) ? rows : [];
  } catch {
    return [];
  }
}

export function rowsText(rows: readonly string[]): string {
  return rows.length === 0 ? '' : JSON.stringify(rows);
}
