import { afterEach, beforeEach, expect, test } from 'vitest';
import { heapInUse } from '../../../../test/support/heap.ts';
import type { Store } from '../../store.ts';
import { everySoMany } from '../../testsuite/schedules.testsuite.ts';
import { newExecution, newUser, newWorkflow } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:', readTimetable: everySoMany });
});
afterEach(() => store.close());

/** A conversation of messages with as many characters, and how its page is read. */
async function conversation(messages: number, length: number) {
  const user = await newUser(store);
  const workflow = await newWorkflow(store, { ownerId: user.id });
  for (let count = 0; count < messages; count += 1) {
    const text = `${count} ${'x'.repeat(length)}`;
    const trigger = { payload: { text, session_id: 's' }, text, sessionId: 's' };
    await store.executions.accept(newExecution(workflow, { trigger, chat: { userId: user.id, sessionId: 's', text } }));
  }
  return { workflowId: workflow.id, limit: 1000, offset: 0 };
}

test('the shortened messages of a page do not retain the whole ones', async () => {
  const page = await conversation(200, 99_000);
  const before = heapInUse();
  const { items } = await store.chats.list({ ...page, characters: 0 });
  // The whole messages have 20 MB.
  expect(heapInUse() - before).toBeLessThan(1_000_000);
  expect(items.at(-1)?.text).toBe(`0 ${'x'.repeat(198)}…`);
});

test('a page is long by the bytes of its messages, not by their number', async () => {
  expect(await store.chats.isLong(await conversation(100, 10))).toBe(false);
  const page = await conversation(4, 99_000);
  expect(await store.chats.isLong(page)).toBe(true);
  expect(await store.chats.isLong({ ...page, limit: 2 })).toBe(false);
});
