import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogue as shared } from '@millrace/components';
import { expect, test } from 'vitest';
import { warmFor } from './warm-up.ts';

/** How often others had a turn until a promise was kept. */
async function turnsUntil(kept: Promise<void>): Promise<number> {
  let isKept = false;
  void kept.then(() => (isKept = true));
  let turns = 0;
  for (; !isKept; turns += 1) await nextTurn();
  return turns;
}

test('what is small waits for nothing; the first that is large waits while others have their turns, the next does not', async () => {
  // A copy: another test of this process may have warmed up the shared one.
  const catalogue = new Map(shared);
  expect(await turnsUntil(warmFor({ characters: 16 * 1024 }, catalogue))).toBeLessThan(2);
  expect(await turnsUntil(warmFor({ nodes: 100 }, catalogue))).toBeLessThan(2);
  expect(await turnsUntil(warmFor({ nodes: 101 }, catalogue))).toBeGreaterThan(20);
  expect(await turnsUntil(warmFor({ characters: 256 * 1024 }, catalogue))).toBeLessThan(2);
});
