import { catalogue } from '@millrace/components';
import { Problem, runThrough, type SlicedWork } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import { newExecution, newWorkflow } from '../../store/testsuite/world.ts';
import { planOfRun, planOfShownRun } from './run-plan.ts';

const turns = { finish: async <T>(work: SlicedWork<T>): Promise<T> => runThrough(work) };

async function setUp() {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  // Its graph is empty, so it has no trigger to start at.
  const run = await store.executions.accept(newExecution(await newWorkflow(store)));
  const detail = await store.executions.detail(run.id);
  if (detail === null) throw new Error('the run is not stored');
  return { store, detail };
}

test('a run whose version cannot run or is not stored has no plan, and can still be shown', async () => {
  const { store, detail } = await setUp();
  for (const run of [detail, { ...detail, workflowVersion: 99 }]) {
    await expect(planOfRun({ store, catalogue, turns }, run)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await planOfShownRun({ store, catalogue, turns }, run)).toBeNull();
  }
});

test('a run whose graph is temporarily unreadable gives an error, not an empty plan', async () => {
  const { store, detail } = await setUp();
  const pinned = () => Promise.reject(new Problem('store_unavailable', 'The database cannot be read now.'));
  const unreadable = { graphs: { ...store.graphs, pinned } };
  await expect(planOfShownRun({ store: unreadable, catalogue, turns }, detail)).rejects.toMatchObject({
    kind: 'unavailable',
  });
});
