import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEnded, type Workflow } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../store.ts';
import { claim, newExecution, newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

function memoryStore(): Store {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

async function addPending(store: Store, workflow: Workflow, count: number): Promise<readonly string[]> {
  const runs = Array.from({ length: count }, () => newExecution(workflow));
  await Promise.all(runs.map((run) => store.executions.accept(run)));
  return runs.map(({ id }) => id);
}

async function statusesOf(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const status = (await store.executions.byId(id))?.status ?? 'missing';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

/** Notes how many runs each commit cancels. */
function watchCommits(store: Store): number[] {
  const commits: number[] = [];
  store.subscribe({
    published: (events) => {
      const ended = events.filter(({ event }) => event.type === 'execution_cancelled');
      if (ended.length > 0) commits.push(ended.length);
    },
  });
  return commits;
}

test('the deletion of a workflow hides it at once and ends its runs in many short transactions', async () => {
  const store = memoryStore();
  const [gone, other] = [await newWorkflow(store), await newWorkflow(store)];
  const ids = await addPending(store, gone, 1050);
  const spared = await addPending(store, other, 1050);
  const commits = watchCommits(store);
  const removal = store.workflows.remove({ ids: [gone.id], at: start });
  // Accepted between two of its transactions.
  await store.executions.accept(newExecution(other));
  expect(await store.workflows.byId(gone.id)).toBeNull();
  expect((await statusesOf(store, ids)).get('pending')).toBeGreaterThan(0);
  await removal;
  expect(await statusesOf(store, ids)).toEqual(new Map([['cancelled', 1050]]));
  expect(await statusesOf(store, spared)).toEqual(new Map([['pending', 1050]]));
  expect(Math.max(...commits)).toBeLessThanOrEqual(100);
  expect(await store.executions.openCount()).toBe(1051);
});

test('a workflow that is restored during its deletion has no run left of those that were to end', async () => {
  const store = memoryStore();
  const workflow = await newWorkflow(store);
  const ids = await addPending(store, workflow, 350);
  const removal = store.workflows.remove({ ids: [workflow.id], at: start });
  await store.executions.openCount();
  const restored = store.trash.restore({ id: workflow.id, slug: workflow.slug, at: start });
  await Promise.all([removal, restored]);
  expect(await restored).toMatchObject({ id: workflow.id });
  expect(await statusesOf(store, ids)).toEqual(new Map([['cancelled', 350]]));
  const [later = ''] = await addPending(store, workflow, 1);
  expect(await claim(store)).toMatchObject([{ id: later, cancelRequested: false }]);
});

test('a deletion that the end of the process interrupts starts no run, and continues later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'data.db');
  const first = openSqliteStore({ path });
  const workflow = await newWorkflow(first);
  const ids = await addPending(first, workflow, 450);
  const firstCommit = new Promise<void>((resolve) => {
    first.subscribe({
      published: (events) => {
        if (events.some(({ event }) => event.type === 'execution_cancelled')) resolve();
      },
    });
  });
  const removal = first.workflows.remove({ ids: [workflow.id], at: start });
  await Promise.all([expect(removal).rejects.toThrow(), firstCommit.then(() => first.close())]);

  const second = openSqliteStore({ path });
  onTestFinished(() => second.close());
  expect(await second.workflows.byId(workflow.id)).toBeNull();
  expect(await second.trash.find(workflow)).toMatchObject({ id: workflow.id });
  const open = (await statusesOf(second, ids)).get('pending') ?? 0;
  expect(open).toBeGreaterThan(0);
  const claimed = await claim(second, { limit: 3 });
  expect(claimed).toMatchObject(Array(3).fill({ cancelRequested: true }));
  await second.trash.finishRemovals({ at: start });
  const left: string[] = [];
  for (const id of ids) if (!isEnded((await second.executions.byId(id))?.status ?? 'pending')) left.push(id);
  // Their owner ends them.
  expect(left.sort()).toEqual(claimed.map(({ id }) => id).sort());
});
