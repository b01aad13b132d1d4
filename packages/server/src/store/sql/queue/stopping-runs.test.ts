import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildPaused, StepPaused } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../store.ts';
import { appendOf, claim, failed, newExecution, newWorkflow, runningRun, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

function memoryStore(): Store {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

/** A run that waits for many runs, which are pending; and the parameters of an append by its owner. */
async function newFamily(store: Store, { children: count, isParked }: { children: number; isParked: boolean }) {
  const parent = await runningRun(store, await newWorkflow(store));
  const workflow = await newWorkflow(store);
  const family = { executionId: parent.id, depth: 1 };
  const starts = Array.from({ length: count }, () => newExecution(workflow, { parent: family }));
  const facts = starts.map(({ id: executionId }, index): StepPaused => {
    const pause = { kind: 'child', executionId, workflow: workflow.slug, until: null } as const;
    const frame = `loop[${index}]`;
    return { kind: 'step_paused', nodeId: 'call', frame, at: start, attempt: 1, stage: 'step', pause };
  });
  const park = { status: 'waiting', until: null } as const;
  await store.executions.append({ ...appendOf(parent, facts), starts, ...(isParked ? { park } : {}) });
  const endParent = () => store.executions.append(appendOf(parent, [failed('It broke.')], facts.length));
  return { parent, children: starts.map(({ id }) => id), endParent };
}

/** How many runs have each status. */
async function statusesOf(store: Store, ids: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const id of ids) {
    const status = (await store.executions.byId(id))?.status ?? 'missing';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** Notes how many runs each transaction cancels; `all` resolves when this many were cancelled. */
function watchCommits(store: Store, most: number) {
  const commits: number[] = [];
  const all = new Promise<void>((resolve) => {
    let left = most;
    store.subscribe({
      published: (events) => {
        const ended = events.filter(({ event }) => event.type === 'execution_cancelled').length;
        if (ended > 0) commits.push(ended);
        left -= ended;
        if (left === 0) resolve();
      },
    });
  });
  return { commits, all };
}

test('the cancellation of a run that waits for 1,000 runs ends them in many short transactions', async () => {
  const store = memoryStore();
  const { parent, children } = await newFamily(store, { children: 1000, isParked: true });
  const { commits, all } = watchCommits(store, 1001);
  expect(await store.executions.cancel({ id: parent.id, at: start })).toBe('cancelled');
  expect((await statusesOf(store, children)).pending).toBeGreaterThan(0);
  await all;
  expect(await statusesOf(store, children)).toEqual({ cancelled: 1000 });
  expect(Math.max(...commits)).toBeLessThanOrEqual(101);
  expect(await store.executions.openCount()).toBe(0);
});

test('a run that fails while it waits for 1,000 runs ends them in many short transactions', async () => {
  const store = memoryStore();
  const { children, endParent } = await newFamily(store, { children: 1000, isParked: false });
  const { commits, all } = watchCommits(store, 1000);
  expect(await endParent()).toBe('stored');
  await all;
  expect(await statusesOf(store, children)).toEqual({ cancelled: 1000 });
  expect(Math.max(...commits)).toBeLessThanOrEqual(101);
});

test('a sub-workflow that is claimed before its turn to end is only ended', async () => {
  const store = memoryStore();
  const { parent, children } = await newFamily(store, { children: 300, isParked: true });
  const [, claimed] = await Promise.all([store.executions.cancel({ id: parent.id, at: start }), claim(store)]);
  expect(claimed.length).toBeGreaterThan(0);
  expect(claimed.filter(({ cancelRequested }) => !cancelRequested)).toEqual([]);
  await store.executions.finishCancellations({ at: start });
  const { running = 0, cancelled } = await statusesOf(store, children);
  expect([running, cancelled]).toEqual([claimed.length, 300 - claimed.length]);
});

test('a run whose sub-workflows have not ended yet is not retried', async () => {
  const store = memoryStore();
  const { parent, children } = await newFamily(store, { children: 300, isParked: true });
  const last = children.at(-1) ?? '';
  const pause = { kind: 'child', executionId: last, workflow: 'orders', until: null } as const;
  const key = { nodeId: 'call', frame: '', stage: 'step' } as const;
  const paused: ChildPaused = { kind: 'step_paused', ...key, at: start, attempt: 1, pause };
  const runs = [{ id: parent.id, status: 'cancelled', afterSeq: 301, revoked: [], paused: [paused] }] as const;
  const [, outcome] = await Promise.all([
    store.executions.cancel({ id: parent.id, at: start }),
    store.executions.retry({ runs, at: start }),
  ]);
  expect(outcome).toBe('stopping');
});

test('a cancellation that the end of the process interrupts is completed later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'data.db');
  const first = openSqliteStore({ path });
  const { parent, children } = await newFamily(first, { children: 450, isParked: true });
  await first.executions.cancel({ id: parent.id, at: start });
  await first.close();

  const second = openSqliteStore({ path });
  onTestFinished(() => second.close());
  const { pending = 0, cancelled = 0 } = await statusesOf(second, children);
  expect([pending > 0, pending + cancelled]).toEqual([true, 450]);
  await second.executions.finishCancellations({ at: start });
  expect(await statusesOf(second, children)).toEqual({ cancelled: 450 });
});
