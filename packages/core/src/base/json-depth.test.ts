import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { isDeeperThan } from './json-depth.ts';

it('counts a list or object as one level, and a scalar as none', () => {
  expect(isDeeperThan('a', 0)).toBe(false);
  expect(isDeeperThan([], 0)).toBe(true);
  expect(isDeeperThan([1, {}], 1)).toBe(true);
  expect(isDeeperThan([1, {}], 2)).toBe(false);
  expect(isDeeperThan({ a: [null] }, 1)).toBe(true);
});

it('works on values that are nested deeper than the stack', () => {
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
  expect(isDeeperThan(deep, 99_999)).toBe(true);
  expect(isDeeperThan(deep, 100_000)).toBe(false);
});
