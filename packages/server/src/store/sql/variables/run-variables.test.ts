import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../store.ts';
import { newExecution, newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

const large = 'x'.repeat(60_000);
const limits = { most: 1_000, mostLength: 10_000_000 };

let folder: string;
let path: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-variables-'));
  path = join(folder, 'millrace.db');
  store = openSqliteStore({ path });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function count(table: string): number {
  const db = new Database(path, { readonly: true });
  try {
    return (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  } finally {
    db.close();
  }
}

function counts(): readonly number[] {
  return ['variable_versions', 'variable_sets', 'run_variables'].map(count);
}

function define(name: string, value: string, workflowId: number | null = null) {
  const variable = { workflowId, name, value, isSecret: false, allowedHosts: [], sealed: null };
  return store.variables.insert({ ...variable, ...limits });
}

function change(name: string, value: string, revision: number) {
  const variable = { workflowId: null, name, value, isSecret: false, allowedHosts: [], sealed: null };
  return store.variables.update({ ...variable, before: name, revision, mostLength: limits.mostLength });
}

/** Starts a run of a workflow; returns a function that reads its variables. */
async function startRun(workflow: Awaited<ReturnType<typeof newWorkflow>>, names: readonly string[] | null = null) {
  const { id: executionId } = await store.executions.accept(newExecution(workflow));
  return () => store.variables.ofRun({ executionId, workflowId: workflow.id, names });
}

describe('the variables of runs', () => {
  test('are stored once, however many runs read them', async () => {
    const workflow = await newWorkflow(store);
    for (const name of ['a', 'b', 'c']) await define(name, large);
    for (let run = 0; run < 20; run += 1)
      expect((await (await startRun(workflow))()).values).toHaveProperty('c', large);
    expect(counts()).toEqual([3, 1, 20]);
    for (let run = 0; run < 5; run += 1)
      expect((await (await startRun(workflow, ['b']))()).values).toEqual({ b: large });
    expect(counts()).toEqual([3, 2, 25]);
  });

  test('are those of the start of the run, after every change, also in another process', async () => {
    const workflow = await newWorkflow(store);
    await define('a', 'first');
    const first = await startRun(workflow);
    const early = await first();
    await change('a', 'second', 1);
    const second = await startRun(workflow);
    await second();
    await store.variables.remove({ workflowId: null, name: 'a' });
    // SQLite uses the id of the deleted row again.
    await define('a', 'third');
    const third = await startRun(workflow);
    await third();
    await define('a', 'own', workflow.id);
    const fourth = await startRun(workflow);
    await fourth();
    const seen = async () => Promise.all([first, second, third, fourth].map(async (read) => (await read()).values.a));
    expect(await seen()).toEqual(['first', 'second', 'third', 'own']);
    await store.close();
    store = openSqliteStore({ path });
    expect(await seen()).toEqual(['first', 'second', 'third', 'own']);
    expect(early.values).toEqual({ a: 'first' });
  });

  test('are not mixed up after a transaction that was undone', async () => {
    const workflow = await newWorkflow(store);
    await define('a', 'a');
    await define('b', 'b');
    const run = await startRun(workflow, ['a']);
    const other = await startRun(workflow, ['b']);
    const failing = store.executions
      .accept(newExecution({ ...workflow, id: 999_999 }))
      .catch((error: unknown) => error);
    const [first, , second] = await Promise.all([run(), failing, other()]);
    expect([first.values, second.values]).toEqual([{ a: 'a' }, { b: 'b' }]);
    expect([(await run()).values, (await other()).values]).toEqual([{ a: 'a' }, { b: 'b' }]);
  });

  test('are deleted when no run reads them any more', async () => {
    const workflow = await newWorkflow(store);
    await define('a', 'first');
    await define('b', 'same');
    const old = await newExecution(workflow);
    await store.executions.accept(old);
    await store.variables.ofRun({ executionId: old.id, workflowId: workflow.id, names: null });
    await change('a', 'second', 1);
    const read = await startRun(workflow);
    await read();
    expect(counts()).toEqual([3, 2, 2]);
    const prune = async () => {
      let afterId: number | null = 0;
      while (afterId !== null) afterId = await store.retention.pruneVariables({ afterId, limit: 1 });
    };
    await prune();
    expect(counts()).toEqual([3, 2, 2]);
    await store.executions.cancel({ id: old.id, at: start });
    await store.executions.remove({ ids: [old.id], removableBy: workflow.ownerId });
    await prune();
    expect(counts()).toEqual([2, 1, 1]);
    expect((await read()).values).toEqual({ a: 'second', b: 'same' });
  });
});
