import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogue as shared } from '@millrace/components';
import { expect, test } from 'vitest';
import { warmFor } from './warm-up.ts';

/** How many event loop turns passed until a promise resolved. */
async function turnsUntil(promise: Promise<void>): Promise<number> {
  let isResolved = false;
  void promise.then(() => (isResolved = true));
  let turns = 0;
  for (; !isResolved; turns += 1) await nextTurn();
  return turns;
}

test('a small input does not wait; the first large one waits while other work goes on, and the next one does not', async () => {
  // A copy, because another test of this process may have warmed up the shared one.
  const catalogue = new Map(shared);
  expect(await turnsUntil(warmFor({ characters: 16 * 1024 }, catalogue))).toBeLessThan(2);
  expect(await turnsUntil(warmFor({ nodes: 100 }, catalogue))).toBeLessThan(2);
  expect(await turnsUntil(warmFor({ nodes: 101 }, catalogue))).toBeGreaterThan(20);
  expect(await turnsUntil(warmFor({ characters: 256 * 1024 }, catalogue))).toBeLessThan(2);
});
