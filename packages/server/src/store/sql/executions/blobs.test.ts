import { expect, onTestFinished, test } from 'vitest';
import { slowSteps } from '../../../../test/support/slow-steps.ts';
import { appendOf, completed, failed, newWorkflow, runningRun, stepSucceeded } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { noSync } from '../database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { storeOn } from '../sqlite.ts';
import { largeValue } from './blobs.ts';

function open() {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  const store = storeOn(connection, { sync: noSync() });
  onTestFinished(() => store.close());
  const count = (table: string) => connection.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, [])[0]?.n;
  const longest = () => connection.all<{ n: number }>('SELECT max(length(data)) AS n FROM journal', [])[0]?.n ?? 0;
  return { store, count, longest };
}

const large = { text: 'ä'.repeat(largeValue), list: [1, null] };

test('a journal stores large values by reference, and returns them in their places', async () => {
  const { store, count, longest } = open();
  const run = await runningRun(store, await newWorkflow(store));
  const facts = [
    stepSucceeded('a', { before: 1, result: large, ['__proto__']: [large.text], after: 'x' }),
    stepSucceeded('b', { result: large }),
    completed(large),
  ];
  await store.executions.append(appendOf(run, facts));
  const detail = await store.executions.detail(run.id);
  expect(detail?.journal.map(({ fact }) => fact)).toStrictEqual(facts);
  expect(detail?.finalOutput).toStrictEqual(large);
  expect(Object.keys((detail?.journal[0]?.fact as { outputs: object }).outputs)).toEqual([
    'before',
    'result',
    '__proto__',
    'after',
  ]);
  // The same value is stored once, wherever it occurs.
  expect(count('blobs')).toBe(2);
  expect(longest()).toBeLessThan(1000);
});

test('a large value that several facts of one append share is written once', async () => {
  const { store } = open();
  let reads = 0;
  const shared = new Proxy(large, {
    get(target, key, receiver) {
      if (key === 'text') reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const readsFor = async (nodes: readonly string[]): Promise<number> => {
    const run = await runningRun(store, await newWorkflow(store));
    reads = 0;
    const facts = nodes.map((node) => stepSucceeded(node, { result: shared }));
    await store.executions.append(appendOf(run, facts));
    return reads;
  };
  // Pieces of JSON measure a value once.
  await readsFor(['a']);
  // Each fact is measured, but its value is not written again.
  const [one, two, three] = [await readsFor(['a']), await readsFor(['a', 'b']), await readsFor(['a', 'b', 'c'])];
  expect(three - two).toBe(two - one);
  expect(two - one).toBeLessThan(one / 2);
});

test('the event loop continues while a large value is written', async () => {
  slowSteps();
  const { store } = open();
  const run = await runningRun(store, await newWorkflow(store));
  const list = Array.from({ length: 30 }, (_, index) => 'x'.repeat(largeValue) + index);
  let turns = 0;
  let isStored = false;
  const count = (): void => {
    turns += 1;
    if (!isStored) setImmediate(count);
  };
  count();
  await store.executions.append(appendOf(run, [stepSucceeded('a', { result: list })]));
  isStored = true;
  expect(turns).toBeGreaterThan(list.length);
  expect((await store.executions.detail(run.id))?.journal[0]?.fact).toMatchObject({ outputs: { result: list } });
});

test('a value just below the limit is stored in the journal', async () => {
  const { store, count } = open();
  const run = await runningRun(store, await newWorkflow(store));
  await store.executions.append(appendOf(run, [stepSucceeded('a', { result: 'x'.repeat(largeValue - 2) })]));
  expect(count('blobs')).toBe(0);
  await store.executions.append(appendOf(run, [stepSucceeded('b', { result: 'x'.repeat(largeValue - 1) })], 1));
  expect(count('blobs')).toBe(1);
});

test('a value is deleted with the last run that uses it', async () => {
  const { store, count } = open();
  const workflow = await newWorkflow(store);
  const runs = [await runningRun(store, workflow), await runningRun(store, workflow)];
  for (const run of runs) {
    await store.executions.append(appendOf(run, [stepSucceeded('a', { result: large }), failed('No.')]));
  }
  const [first = '', second = ''] = runs.map(({ id }) => id);
  const remove = (id: string) => store.executions.remove({ ids: [id], removableBy: workflow.ownerId });
  await remove(first);
  expect(count('blobs')).toBe(1);
  expect((await store.executions.detail(second))?.journal).toHaveLength(2);
  await remove(second);
  expect([count('blobs'), count('blob_uses')]).toEqual([0, 0]);
});

test('an append that comes too late stores no value', async () => {
  const { store, count } = open();
  const run = await runningRun(store, await newWorkflow(store));
  const late = { ...appendOf(run, [stepSucceeded('a', { result: large })]), epoch: run.epoch - 1 };
  expect(await store.executions.append(late)).toBe('lost');
  expect(count('blobs')).toBe(0);
});
