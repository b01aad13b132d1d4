import { maxFactValue } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredSpace } from '../../memory.ts';
import type { Store } from '../../store.ts';
import { newWorkflow, start } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { openSqliteStore } from '../sqlite.ts';
import { prepareFactSearch } from './fact-search.ts';

/** Milliseconds of processor time of the fastest of several calls. */
async function fastest(call: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 5; times += 1) {
    const before = process.threadCpuUsage();
    await call();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe('a search', () => {
  let store: Store;
  let space: StoredSpace;
  let others: StoredSpace;
  beforeEach(async () => {
    store = openSqliteStore({ path: ':memory:' });
    const { id: workflowId, ownerId } = await newWorkflow(store);
    space = { scope: 'workflow', workflowId };
    others = { scope: 'global', ownerId };
  });
  afterEach(() => store.close());
  const search = (query: string, of: StoredSpace = space) =>
    store.memory.list({ space: of, query, limit: 10, offset: 0 });

  test('takes no time for words that begin alike, in large facts of this space or of another', async () => {
    let count = 0;
    const word = () => `abc${(count++).toString(36)}`;
    const all = 'abc abc1 abc2 abc3 abc4 abc5 abc6 abc7 abc8 abc9';
    for (let fact = 0; fact < 100; fact += 1) {
      const value = `${all} ${Array.from({ length: 10_000 }, word).join(' ')}`.slice(0, maxFactValue - 2);
      await store.memory.put({ space, key: `k${fact}`, value, at: start });
    }
    await store.memory.put({ space: others, key: 'k', value: 'abc', at: start });
    expect([(await search(all)).total, (await search(all, others)).total]).toEqual([100, 1]);
    // They take 1 ms each, and took 160 to 280 ms.
    for (const query of ['abc', all])
      for (const of of [space, others]) expect(await fastest(() => search(query, of))).toBeLessThan(40);
  });

  test('finds all facts of a word that many have, those with a rare word first, then the newest', async () => {
    const facts = Array.from({ length: 1000 }, (_none, n) => ({ key: `k${n}`, value: 'often' }));
    facts[0] = { key: 'k0', value: 'often rare' };
    for (const fact of facts) void store.memory.put({ space, ...fact, at: start });
    await store.memory.put({ space, key: 'rare', value: null, at: start });
    const { items, total } = await search('often rare');
    expect([items.slice(0, 3).map(({ key }) => key), total]).toEqual([['rare', 'k0', 'k999'], 1001]);
    expect((await search('often')).total).toBe(1000);
  });
});

test('facts that an older version stored are found', () => {
  const connection = new Connection(':memory:');
  const steps = sqliteMigrations();
  migrate(
    connection,
    steps.filter(({ number }) => number < 80),
  );
  connection.script(`
    INSERT INTO memory_spaces (id, workflow_id, owner_id, user_id) VALUES (7, 1, 0, ''), (8, 2, 0, '');
    INSERT INTO memory_facts (id, space_id, key, value, created_at, updated_at) VALUES
      (3, 7, 'home', '{"city":"Zürich"}', '', ''), (4, 8, 'home', '7', '', ''), (40, 7, 'zurich', '1', '', '');
    INSERT INTO memory_words (rowid, words) VALUES (3, '7khome 7vcity 7vzurich')`);
  migrate(connection, steps);
  const search = (spaceId: number, query: string) => prepareFactSearch(connection)(spaceId, query).next().value;
  expect([search(7, 'zurich'), search(7, 'home'), search(7, '7'), search(8, '7')]).toEqual([[40, 3], [3], [], [4]]);
  connection.script('DELETE FROM memory_spaces WHERE id = 7');
  expect([search(7, 'zurich'), search(8, 'home')]).toEqual([[], [4]]);
  connection.close();
});
