import { expect, test } from 'vitest';
import { isFlooded, runsInFlood } from './pace.ts';

test('runs are being accepted all the time while the last one came a moment ago', () => {
  expect([0, 24.9, 25, 1000].map(isFlooded)).toEqual([true, true, false, false]);
});

test('in a flood runs get a little of a time that is used up, and most of a time that is not', () => {
  expect(runsInFlood(1, 0)).toBe(1);
  expect(runsInFlood(4, 0)).toBe(4);
  expect(runsInFlood(2, 1)).toBe(12);
});

test('no turn begins so many runs that a request would wait for it', () => {
  expect(runsInFlood(1000, 1000)).toBe(64);
});
