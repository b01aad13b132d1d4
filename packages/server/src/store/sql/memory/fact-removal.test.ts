import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { maxFactValue } from '@millrace/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredSpace } from '../../memory.ts';
import type { Store } from '../../store.ts';
import { newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

/** The full number is 10,000, which takes a minute to store: then a turn has no more work than with these. */
const facts = 1000;
/** Usually 12 ms; a collection of garbage in the same turn takes several times as long. */
const longestTurnMs = 100;

/** As many as are indexed. */
const words = 1000;
/** A value of the largest size. */
const value = Array.from({ length: words }, (_none, n) => (n + 46_656).toString(36))
  .join(' ')
  .padEnd(maxFactValue - 2, '. ');

let folder: string;
let store: Store;
let space: StoredSpace;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-facts-'));
  store = openSqliteStore({ path: join(folder, 'a.db') });
  space = { scope: 'workflow', workflowId: (await newWorkflow(store)).id };
  for (let fact = 0; fact < facts; fact += 50) {
    const some = Array.from({ length: 50 }, (_none, n) => ({ key: `k${fact + n}`, value }));
    await Promise.all(some.map((one) => store.memory.put({ space, ...one, at: start })));
  }
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of processor time of the longest turn of the event loop until the work ends. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, threadMs(), false];
  const end = work.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await end;
  return longest;
}

const found = async (from: Store) => [
  (await from.memory.list({ space, query: '1000 1001', limit: 1, offset: 0 })).total,
  (await from.memory.list({ space, query: null, limit: 1, offset: 0 })).total,
];

test('searching and clearing a space of the largest facts let other work continue', async () => {
  const search = () => longestTurn(Promise.all(Array.from({ length: 20 }, () => found(store))));
  const rounds = [await search(), await search(), await search()];
  expect(Math.min(...rounds)).toBeLessThan(longestTurnMs);
  expect(await longestTurn(store.memory.clear({ space }))).toBeLessThan(longestTurnMs);
  expect(await found(store)).toEqual([0, 0]);
});

test('a clearing that a crash interrupts leaves facts with their words, and no words without facts', async () => {
  const clearing = store.memory.clear({ space });
  let [inSearch, inList] = await found(store);
  while (inList === facts) {
    await nextTurn();
    [inSearch, inList] = await found(store);
  }
  // What is on disk now is what a process that was killed leaves.
  for (const suffix of ['', '-wal'])
    if (existsSync(join(folder, `a.db${suffix}`)))
      copyFileSync(join(folder, `a.db${suffix}`), join(folder, `b.db${suffix}`));
  await clearing;
  const copy = openSqliteStore({ path: join(folder, 'b.db') });
  [inSearch, inList] = await found(copy);
  await copy.close();
  expect(inList).toBeGreaterThan(0);
  expect(inList).toBeLessThan(facts);
  expect(inSearch).toBe(inList);
});
