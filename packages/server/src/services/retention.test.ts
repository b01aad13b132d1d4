import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import { newExecution, newWorkflow } from '../store/testsuite/world.ts';
import { VirtualTime } from '../virtual-time.ts';
import { Retention, type RetentionLimits } from './retention.ts';

const day = 86_400_000;

async function setUp(limits: RetentionLimits) {
  const time = new VirtualTime();
  const store = openSqliteStore({ path: ':memory:' });
  const log = { warn: () => undefined, info: () => undefined };
  const retention = new Retention({ store, clock: time.clock, timers: time.timers, limits, log });
  const workflow = await newWorkflow(store);
  retention.start();
  onTestFinished(async () => {
    const stopped = retention.stop();
    await pass(100);
    await stopped;
    await store.close();
    expect(time.pending).toBe(0);
  });
  async function pass(ms: number): Promise<void> {
    time.advance(ms);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  async function addRuns(count: number): Promise<void> {
    const at = time.clock.now();
    const runs = Array.from({ length: count }, () => newExecution(workflow, { at }));
    await Promise.all(runs.map((run) => store.executions.accept(run)));
    await Promise.all(runs.map(({ id }) => store.executions.cancel({ id, at })));
  }
  const count = async () => (await store.executions.list({ visibleTo: workflow.ownerId, limit: 1, offset: 0 })).total;
  return { pass, addRuns, count };
}

test('each minute it removes what is too many, some at a time', async () => {
  const { pass, addRuns, count } = await setUp({ days: null, runsPerWorkflow: 50 });
  await addRuns(330);
  await pass(59_000);
  expect(await count()).toBe(330);
  await pass(1000);
  expect(await count()).toBe(230);
  await pass(10);
  expect(await count()).toBe(130);
  for (let i = 0; i < 5; i += 1) await pass(10);
  expect(await count()).toBe(50);
});

test('it removes what is too old', async () => {
  const { pass, addRuns, count } = await setUp({ days: 14, runsPerWorkflow: null });
  await addRuns(3);
  await pass(10 * day);
  await addRuns(2);
  expect(await count()).toBe(5);
  await pass(4 * day + 60_000);
  await pass(60_000);
  expect(await count()).toBe(2);
});

test('without limits it removes nothing', async () => {
  const { pass, addRuns, count } = await setUp({ days: null, runsPerWorkflow: null });
  await addRuns(3);
  await pass(1000 * day);
  await pass(60_000);
  expect(await count()).toBe(3);
});
