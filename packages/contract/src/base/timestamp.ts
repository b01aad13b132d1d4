import { formatInstant } from '@millrace/core';
import { z } from 'zod';

/** A time in responses. */
export const timestamp = z.string().describe('UTC, `YYYY-MM-DDTHH:MM:SS.ffffff`.');

/** An optional time in responses. */
export function optionalMoment(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}

const shape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** A time in requests, as milliseconds: ISO 8601; UTC without a time zone, midnight without a time of day. */
export const moment = z
  .string()
  .transform((text, ctx) => {
    const [, date, time = '00:00', zone = 'Z'] = shape.exec(text) ?? [];
    const at = Date.parse(`${date}T${time}${zone}`);
    if (date !== undefined && !Number.isNaN(at) && isDate(date)) return at;
    ctx.addIssue('must be an ISO 8601 date or date-time, e.g. 2026-01-31T12:00:00');
    return z.NEVER;
  })
  .describe('ISO 8601 date or date-time; UTC if it has no time zone.');

/** Date.parse converts 30 February to 2 March. */
function isDate(date: string): boolean {
  return new Date(Date.parse(date)).toISOString().startsWith(date);
}
