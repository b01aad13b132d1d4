import { expect, onTestFinished, test } from 'vitest';
import { slowSteps } from '../../../../test/support/slow-steps.ts';
import type { Store } from '../../store.ts';
import { appendOf, newWorkflow, runningRun, stepSucceeded } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { noSync } from '../database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { storeOn } from '../sqlite.ts';

function open() {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  const store = storeOn(connection, { sync: noSync() });
  onTestFinished(() => store.close());
  return { store, connection };
}

/** A run with a journal of some 4 MiB, in values of each kind. */
async function largeRun(store: Store) {
  const run = await runningRun(store, await newWorkflow(store));
  const small = Array.from({ length: 40 }, (_, at) => stepSucceeded(`a${at}`, { output: [at, 'x'.repeat(50_000)] }));
  const large = Array.from({ length: 4 }, (_, at) => stepSucceeded(`b${at}`, { output: [at, 'y'.repeat(500_000)] }));
  const facts = [...small, ...large];
  await store.executions.append(appendOf(run, facts));
  return { run, facts };
}

/** Counts the turns of the event loop until a promise is settled. */
async function turnsDuring(promise: Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const end = promise.finally(() => {
    isOver = true;
  });
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await end;
  return turns;
}

test('a large journal is read in many turns of the event loop, a small one in one', async () => {
  slowSteps();
  const { store } = open();
  const { run, facts } = await largeRun(store);
  const reading = store.executions.detail(run.id);
  // Each turn reads at most two rows, or one large value.
  expect(await turnsDuring(reading)).toBeGreaterThan(6);
  expect((await reading)?.journal.map(({ fact }) => fact)).toStrictEqual(facts);
  const small = await runningRun(store, await newWorkflow(store));
  expect(await turnsDuring(store.executions.detail(small.id))).toBeLessThanOrEqual(1);
});

test('a run that changes while it is read is shown as it was at the beginning, and null if it is deleted', async () => {
  const { store, connection } = open();
  const { run, facts } = await largeRun(store);
  const reading = store.executions.readable(run.id);
  const appended = store.executions.append(appendOf(run, [stepSucceeded('late')], facts.length));
  expect((await reading)?.journal).toHaveLength(facts.length);
  expect(await appended).toBe('stored');
  expect((await store.executions.detail(run.id))?.journal).toHaveLength(facts.length + 1);
  const again = store.executions.detail(run.id);
  connection.all('DELETE FROM executions WHERE id = ? RETURNING id', [run.id]);
  expect(await again).toBeNull();
});

test('no row of a journal has many large facts', async () => {
  const { store, connection } = open();
  await largeRun(store);
  const rows = connection.all<{ size: number }>('SELECT octet_length(data) AS size FROM journal', []);
  expect(rows.length).toBeGreaterThan(5);
  expect(Math.max(...rows.map(({ size }) => size))).toBeLessThan(300_000);
});
