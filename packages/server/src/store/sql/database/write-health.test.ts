import { expect, test } from 'vitest';
import { fullLog } from './failures.ts';
import { WriteHealth } from './write-health.ts';

test('a failed write counts for ten seconds, whatever succeeds, and then until the next write', () => {
  let now = 0;
  const health = new WriteHealth(() => now);
  expect([health.problem, health.isUnknown]).toEqual([null, false]);
  const problem = fullLog();
  health.failed(problem);
  now = 9_999;
  health.succeeded();
  expect([health.problem, health.isUnknown]).toEqual([problem, false]);
  now = 10_000;
  expect([health.problem, health.isUnknown]).toEqual([null, true]);
  health.succeeded();
  expect([health.problem, health.isUnknown]).toEqual([null, false]);
});
