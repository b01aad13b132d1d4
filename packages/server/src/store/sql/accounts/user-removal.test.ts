import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../store.ts';
import { newExecution, newUser, newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

/** A user with 1,200 runs, and one who inherits them. */
async function setUp(store: Store) {
  const [leaver, heir] = [await newUser(store), await newUser(store)];
  const workflow = await newWorkflow(store, { ownerId: leaver.id });
  await Promise.all(Array.from({ length: 1200 }, () => store.executions.accept(newExecution(workflow))));
  const removal = { id: leaver.id, heirId: heir.id, at: start };
  /** How many runs a user can list, and how many the service counts. */
  const runsOf = async (visibleTo: number): Promise<readonly number[]> => {
    const { items, total } = await store.executions.list({ visibleTo, limit: 2000, offset: 0 });
    return [items.length, total];
  };
  return { leaver, heir, workflow, removal, runsOf };
}

test('the removal of a user hands over many runs, and other calls are served in between', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const { leaver, heir, workflow, removal, runsOf } = await setUp(store);
  const removed = store.users.remove(removal);
  await store.executions.accept(newExecution(workflow));
  expect(await store.users.byId(leaver.id)).toBeNull();
  const [listed = 0] = await runsOf(heir.id);
  expect(listed).toBeLessThan(1201);
  expect(await removed).toBe('removed');
  expect(await runsOf(heir.id)).toEqual([1201, 1201]);
  expect(await runsOf(leaver.id)).toEqual([0, 0]);
});

test('facts that the heir has, too, are deleted in several transactions', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const [leaver, heir] = [await newUser(store), await newUser(store)];
  const put = (ownerId: number, key: string) =>
    store.memory.put({ space: { scope: 'global', ownerId }, key, value: 'word', at: start });
  await Promise.all(Array.from({ length: 300 }, (_none, n) => put(leaver.id, `k${n}`)));
  await put(heir.id, 'own');
  const count = async (ownerId: number) =>
    (await store.memory.list({ space: { scope: 'global', ownerId }, query: 'word', limit: 1, offset: 0 })).total;
  expect([await count(leaver.id), await count(heir.id)]).toEqual([300, 1]);
  expect(await store.users.remove({ id: leaver.id, heirId: heir.id, at: start })).toBe('removed');
  expect([await count(leaver.id), await count(heir.id)]).toEqual([0, 1]);
});

test('a removal that the end of the process interrupts is completed later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'data.db');
  const first = openSqliteStore({ path });
  const { leaver, heir, removal } = await setUp(first);
  const interrupted = new Promise<void>((resolve) => {
    first.subscribe({ accessChanged: () => resolve(first.close()) });
  });
  await Promise.all([expect(first.users.remove(removal)).rejects.toThrow(), interrupted]);

  const second = openSqliteStore({ path });
  onTestFinished(() => second.close());
  expect(await second.users.byId(leaver.id)).toBeNull();
  const before = await second.executions.list({ visibleTo: heir.id, limit: 2000, offset: 0 });
  expect(before.items.length).toBeLessThan(1200);
  await second.users.finishRemovals();
  const { items, total } = await second.executions.list({ visibleTo: heir.id, limit: 2000, offset: 0 });
  expect([items.length, total]).toEqual([1200, 1200]);
});
