import { formatInstant } from '@millrace/core';
import { z } from 'zod';

/** A moment in answers. */
export const timestamp = z.string().describe('UTC, `YYYY-MM-DDTHH:MM:SS.ffffff`.');

/** A moment that may be missing, as answers show it. */
export function optionalMoment(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}

const shape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** A moment in requests, as milliseconds: ISO 8601, UTC where it names no zone, midnight where it names no time. */
export const moment = z
  .string()
  .transform((text, ctx) => {
    const [, date, time = '00:00', zone = 'Z'] = shape.exec(text) ?? [];
    const at = Date.parse(`${date}T${time}${zone}`);
    if (date !== undefined && !Number.isNaN(at) && isDate(date)) return at;
    ctx.addIssue('must be an ISO 8601 date or date-time, e.g. 2026-01-31T12:00:00');
    return z.NEVER;
  })
  .describe('ISO 8601 date or date-time; UTC where it names no zone.');

/** Date.parse makes the 2nd of March of the 30th of February. */
function isDate(date: string): boolean {
  return new Date(Date.parse(date)).toISOString().startsWith(date);
}
