import { expect, test } from 'vitest';
import { ReplayBudget } from './replay-budget.ts';

test('a user gets three whole histories at once and then one a second, whatever others get', () => {
  let now = 5000;
  const budget = new ReplayBudget({ monotonic: () => now });
  const take = (userId: number): boolean => budget.take(userId, 1000);
  expect([take(1), take(1), take(1), take(1), take(2)]).toEqual([true, true, true, false, true]);
  expect([budget.take(1, 0), budget.take(1, 1)]).toEqual([true, false]);
  now += 1000;
  expect([take(1), take(1)]).toEqual([true, false]);
  now += 60_000;
  expect([take(1), take(1), take(1), take(1)]).toEqual([true, true, true, false]);
});
