import { expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import type { NewExecution } from '../../store/executions.ts';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { newExecution, newWorkflow } from '../../store/testsuite/world.ts';
import { Retention, type RetentionLimits } from './retention.ts';

const day = 86_400_000;

async function setUp(given: Omit<RetentionLimits, 'minutes'> & { readonly minutes?: number }) {
  const limits = { minutes: 0, ...given };
  const time = new VirtualTime();
  const store = openSqliteStore({ path: ':memory:' });
  let looks = 0;
  const counted: Store['retention'] = {
    ...store.retention,
    prune: (params) => {
      looks += 1;
      return store.retention.prune(params);
    },
  };
  const log = { warn: () => undefined, info: () => undefined };
  const retention = new Retention({
    store: { ...store, retention: counted },
    clock: time.clock,
    timers: time.timers,
    limits,
    log,
  });
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
  async function accept(count: number, isKeyed = false): Promise<readonly string[]> {
    const at = time.clock.now();
    const runs = Array.from({ length: count }, () => newExecution(workflow, { at }));
    const keyed = ({ id: key }: NewExecution) => (isKeyed ? { idempotency: { key, bodyHash: null, since: 0 } } : {});
    await Promise.all(runs.map((run) => store.executions.accept({ ...run, ...keyed(run) })));
    return runs.map(({ id }) => id);
  }
  async function end(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => store.executions.cancel({ id, at: time.clock.now() })));
  }
  const addRuns = async (count: number, isKeyed = false) => end(await accept(count, isKeyed));
  /** Advances the time by one round and returns how many calls of `prune` it made. */
  async function round(): Promise<number> {
    const before = looks;
    await pass(60_000);
    for (let breath = 0; breath < 12; breath += 1) await pass(10);
    return looks - before;
  }
  const count = async () => (await store.executions.list({ visibleTo: workflow.ownerId, limit: 1, offset: 0 })).total;
  const setClock = (byMs: number) => time.setClock(byMs);
  return { pass, addRuns, accept, end, round, count, setClock };
}

test('each minute retention removes excess runs in batches', async () => {
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

test('retention removes runs that are too old', async () => {
  const { pass, addRuns, count } = await setUp({ days: 14, runsPerWorkflow: null });
  await addRuns(3);
  await pass(10 * day);
  await addRuns(2);
  expect(await count()).toBe(5);
  await pass(4 * day + 60_000);
  await pass(60_000);
  expect(await count()).toBe(2);
});

test('without limits retention removes nothing and reads no runs', async () => {
  const { pass, addRuns, round, count } = await setUp({ days: null, runsPerWorkflow: null });
  await addRuns(3);
  await pass(1000 * day);
  expect(await round()).toBe(0);
  expect(await count()).toBe(3);
});

test('runs that must stay are read once, not each minute, and later runs and those that may go a day later are found', async () => {
  const { pass, addRuns, accept, end, round, count } = await setUp({ days: null, runsPerWorkflow: 50 });
  const late = await accept(1);
  await addRuns(650, true);
  const looks = await round();
  expect(await round()).toBeLessThan(looks / 2);
  await addRuns(20);
  expect(await round()).toBeLessThan(looks / 2);
  expect(await count()).toBe(651);
  await end(late);
  for (let minutes = 0; minutes < 60; minutes += 1) await round();
  expect(await count()).toBe(650);
  await pass(day);
  for (let minutes = 0; minutes < 3; minutes += 1) await round();
  expect(await count()).toBe(50);
});

test('runs of a busy workflow that ended in the last hour are stored, and each minute the older ones are removed', async () => {
  const { addRuns, round, count } = await setUp({ days: null, runsPerWorkflow: 10, minutes: 60 });
  const counts: number[] = [];
  for (let minutes = 0; minutes < 70; minutes += 1) {
    await addRuns(5);
    await round();
    counts.push(await count());
  }
  expect(counts.slice(0, 59)).toEqual(Array.from({ length: 59 }, (_, minutes) => (minutes + 1) * 5));
  expect(Math.max(...counts.slice(59))).toBeLessThanOrEqual(61 * 5);
  for (let minutes = 0; minutes < 62; minutes += 1) await round();
  expect(await count()).toBe(10);
});

const jumps = [-2 * 3_600_000, day, 400 * day];

// Requirement engine.durability.time.class
test.each(jumps)('a clock that is set by %i ms makes no run older than it is', async (byMs) => {
  const { addRuns, round, count, setClock } = await setUp({ days: 1, runsPerWorkflow: 10, minutes: 60 });
  await addRuns(50);
  for (let minutes = 0; minutes < 30; minutes += 1) await round();
  setClock(byMs);
  await addRuns(5);
  for (let minutes = 0; minutes < 28; minutes += 1) await round();
  expect(await count()).toBe(55);
  // Times of the old clock that are still to come are removed when the clock has reached them.
  for (let minutes = 0; minutes < 36 + Math.max(0, -byMs / 60_000); minutes += 1) await round();
  expect(await count()).toBe(10);
});
