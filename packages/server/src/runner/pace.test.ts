import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFlooded, maxRunsPerTurn, runsInFlood } from './pace.ts';

test('runs count as being accepted continuously until none was accepted for a while', () => {
  const flooded = [0, 1, 10, 100, 1000].map(isFlooded);
  expect(flooded[0]).toBe(true);
  expect(flooded.at(-1)).toBe(false);
  expect(flooded.lastIndexOf(true)).toBeLessThan(flooded.indexOf(false));
});

test('under continuous load runs get some of the time if requests use all of it, more if they do not, but never too many at once', () => {
  const ms = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(ms, ms, (passed, idle) => {
      const used = runsInFlood(passed, 0);
      const left = runsInFlood(passed, idle);
      expect(used).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(maxRunsPerTurn);
      if (used < maxRunsPerTurn) expect(left).toBeGreaterThan(used);
    }),
  );
});
