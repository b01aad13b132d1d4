import type { Instant } from '../time.ts';

/** Date, and with `T` or a space a time of day: to the minute at least, with an offset or none. */
const isoMoment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * The moment that a JSON value names: a number is milliseconds since 1970, a text is ISO 8601, in UTC where it names
 * no offset. Null for anything else, such as the 30th of February.
 */
export function momentOf(value: unknown): Instant | null {
  if (typeof value === 'number') return value;
  const parts = typeof value === 'string' ? isoMoment.exec(value.trim()) : null;
  if (parts === null) return null;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse carries a day that the month does not have over into the next month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const instant = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}
