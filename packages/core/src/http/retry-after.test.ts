import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1);

it.each([
  [undefined, 0],
  ['', 0],
  ['soon', 0],
  ['-5', 0],
  ['2', 2000],
  [' 0.25 ', 250],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 23:59:30 GMT', 0],
  ['86400', 3_600_000],
])('a Retry-After of %j is %i milliseconds', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});
