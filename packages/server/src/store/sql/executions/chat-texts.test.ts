import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../store.ts';
import { everySoMany } from '../../testsuite/schedules.testsuite.ts';
import { newExecution, newUser, newWorkflow } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { noSync } from '../database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { storeOn } from '../sqlite.ts';

let connection: Connection;
let store: Store;
beforeEach(() => {
  connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  store = storeOn(connection, { sync: noSync(), log: { error: () => undefined }, readTimetable: everySoMany });
});
afterEach(() => store.close());

/** Stores a message, and returns its id and what is read of it. */
async function said(text: string) {
  const user = await newUser(store);
  const workflow = await newWorkflow(store, { ownerId: user.id });
  const run = newExecution(workflow, {
    trigger: { payload: { text, session_id: 's' }, text, sessionId: 's' },
    chat: { userId: user.id, sessionId: 's', text },
  });
  await store.executions.accept(run);
  const list = async () => (await store.chats.list({ workflowId: workflow.id, limit: 10, offset: 0 })).items;
  return { id: run.id, list, trigger: async () => (await store.executions.detail(run.id))?.trigger };
}

test('a message is stored once, and read with its turn and with its trigger', async () => {
  const { id, list, trigger } = await said('Where is my order?');
  const [row] = connection.all<{ n: number }>(
    `SELECT length(r.text) + length(c.text) AS n FROM triggers r JOIN chat_turns c USING (execution_id) WHERE execution_id = ?`,
    [id],
  );
  expect(row).toEqual({ n: 0 });
  expect(await list()).toMatchObject([{ text: 'Where is my order?' }]);
  expect(await trigger()).toMatchObject({ text: 'Where is my order?' });
});

test('a message that an earlier version stored with its turn and its trigger is read', async () => {
  const { list, trigger } = await said('New');
  connection.script(`UPDATE triggers SET text = 'Old'; UPDATE chat_turns SET text = 'Old'`);
  expect(await list()).toMatchObject([{ text: 'Old' }]);
  expect(await trigger()).toMatchObject({ text: 'Old' });
});

test('a damaged payload hides its message, and not the others', async () => {
  const { list } = await said('Damaged');
  connection.script(`UPDATE triggers SET payload = '{'`);
  expect(await list()).toMatchObject([{ text: '' }]);
});
