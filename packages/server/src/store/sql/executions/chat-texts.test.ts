import { afterEach, beforeEach, expect, test } from 'vitest';
import { slowSteps } from '../../../../test/support/slow-steps.ts';
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

test('a long history and a long conversation are read in slices', async () => {
  slowSteps();
  const user = await newUser(store);
  const workflow = await newWorkflow(store, { ownerId: user.id });
  const text = 'x'.repeat(100_000);
  const say = async (answer: string | null) => {
    const trigger = { payload: { text, session_id: 's' }, text, sessionId: 's' };
    const run = newExecution(workflow, { trigger, chat: { userId: user.id, sessionId: 's', text } });
    await store.executions.accept(run);
    if (answer !== null)
      connection.script(`UPDATE chat_turns SET answer = '${answer}' WHERE execution_id = '${run.id}'`);
    return run.id;
  };
  for (let count = 0; count < 40; count += 1) await say('An answer.');
  const executionId = await say(null);
  const turnsDuring = async (read: Promise<unknown>): Promise<number> => {
    let [turns, isDone] = [0, false];
    void read.then(() => {
      isDone = true;
    });
    for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    return turns;
  };
  expect(await turnsDuring(store.chats.list({ workflowId: workflow.id, limit: 100, offset: 0 }))).toBeGreaterThan(15);
  const window = { turns: 100, bytes: 10_000_000, memory: null };
  expect(await turnsDuring(store.chats.before({ executionId, ...window }))).toBeGreaterThan(15);
});
