import type { Instant } from '../time.ts';

/** A run does not wait longer than an hour for another service, whatever that asks for. */
const longestMs = 3_600_000;

/** The milliseconds that a `Retry-After` header asks for, in seconds or as a date; 0 where it says nothing. */
export function retryAfterMs(header: string | undefined, now: Instant): number {
  const value = header?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), longestMs) : 0;
}
