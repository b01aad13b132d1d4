import type { Instant } from '../time.ts';

/** A run waits at most an hour for another service, whatever the service requests. */
const longestMs = 3_600_000;

/** The delay of a `Retry-After` header (seconds or a date) in milliseconds; 0 if it has none. */
export function retryAfterMs(header: string | undefined, now: Instant): number {
  const value = header?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), longestMs) : 0;
}
