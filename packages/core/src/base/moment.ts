import type { Instant } from '../time.ts';

/** A date, optionally followed by `T` or a space and a time: at least to the minute, with or without an offset. */
const isoMoment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * The point in time that a JSON value names: a number is milliseconds since 1970, a text is ISO 8601, in UTC if it has
 * no offset. Null for anything else, such as the 30th of February.
 */
export function momentOf(value: unknown): Instant | null {
  if (typeof value === 'number') return value;
  const parts = typeof value === 'string' ? isoMoment.exec(value.trim()) : null;
  if (parts === null) return null;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse carries a day that does not exist in the month over into the next month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const instant = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}
