import { describe, expect, onTestFinished, test } from 'vitest';
import { appendOf, claim, completed, listen, newExecution, newWorkflow, stepSucceeded } from '../testsuite/world.ts';
import { Connection } from './database/connection.ts';
import { migrate, sqliteMigrations } from './database/migrate.ts';
import { storeOn } from './sqlite.ts';

/** A store whose log is synced when the test allows it. */
function open() {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  const under = { held: false, syncs: [] as (() => void)[], count: 0 };
  const start = (done: (error: null) => void) => {
    under.count += 1;
    if (under.held) under.syncs.push(() => done(null));
    else setImmediate(done, null);
  };
  const store = storeOn(connection, { sync: { start, close: () => undefined } });
  onTestFinished(() => store.close());
  const endSync = () => {
    for (const end of under.syncs.splice(0)) end();
  };
  return { store, under, endSync };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a call has resolved by now. */
function watch(call: Promise<unknown>): { readonly answered: boolean } {
  const watched = { answered: false };
  void call.then(() => Object.assign(watched, { answered: true }));
  return watched;
}

describe('nothing is acknowledged or published before it is on disk:', () => {
  test('an accepted run', async () => {
    const { store, under, endSync } = open();
    const workflow = await newWorkflow(store);
    const received = listen(store);
    under.held = true;
    const call = watch(store.executions.accept(newExecution(workflow)));
    await turns(10);
    expect([call.answered, received]).toEqual([false, []]);
    endSync();
    await turns(2);
    expect([call.answered, received]).toEqual([true, ['pending']]);
  });

  test('the facts of a run with the events they cause', async () => {
    const { store, under, endSync } = open();
    const workflow = await newWorkflow(store);
    await store.executions.accept(newExecution(workflow));
    const [run] = await claim(store);
    if (run === undefined) throw new Error('there is no run');
    const event = { type: 'execution_completed', executionId: run.id, output: null } as const;
    const received = listen(store);
    under.held = true;
    const append = {
      ...appendOf(run, [stepSucceeded('a'), completed()]),
      events: [{ workflowId: workflow.id, event }],
    };
    const call = watch(store.executions.append(append));
    await turns(10);
    expect([call.answered, received]).toEqual([false, []]);
    endSync();
    await turns(2);
    expect([call.answered, received]).toEqual([true, ['execution_completed']]);
  });
});

describe('group commit', () => {
  test('lets the facts of many runs share a sync', async () => {
    const { store, under } = open();
    const workflow = await newWorkflow(store);
    for (let n = 0; n < 20; n += 1) await store.executions.accept(newExecution(workflow));
    const runs = await claim(store);
    await turns(10);
    const before = under.count;
    await Promise.all(runs.map((run) => store.executions.append(appendOf(run, [stepSucceeded('a')]))));
    expect([runs.length, under.count - before]).toEqual([20, 1]);
  });

  test('does not delay a single call: its sync starts in the next turn of the event loop', async () => {
    const { store, under } = open();
    const workflow = await newWorkflow(store);
    await turns(10);
    under.held = true;
    const before = under.count;
    const call = store.executions.accept(newExecution(workflow));
    await turns(1);
    expect(under.count - before).toBe(1);
    for (const end of under.syncs.splice(0)) end();
    await call;
    under.held = false;
  });
});

test('a store whose disk lost written data is not available', async () => {
  const connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  const disk = { error: null as Error | null };
  const start = (done: (error: Error | null) => void) => void setImmediate(() => done(disk.error));
  const store = storeOn(connection, { sync: { start, close: () => undefined } });
  onTestFinished(() => store.close());
  await newWorkflow(store);
  await store.ping();
  disk.error = new Error('EIO');
  await expect(newWorkflow(store)).rejects.toMatchObject({ code: 'store_unavailable' });
  await expect(store.ping()).rejects.toMatchObject({ detail: expect.stringContaining('could not store written data') });
});
