import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workflow } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { claim, listen, newExecution, newWorkflow } from '../testsuite/world.ts';
import { Connection } from './database/connection.ts';
import { noSync } from './database/log/log-sync.ts';
import { migrate, sqliteMigrations } from './database/migrate.ts';
import { storeOn } from './sqlite.ts';

let folder: string;
let connection: Connection;
let store: Store;
let workflow: Workflow;
let logged: string[];
let now: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-full-'));
  connection = new Connection(join(folder, 'millrace.db'));
  migrate(connection, sqliteMigrations());
  logged = [];
  now = 0;
  const log = { error: (_details: object, message: string) => void logged.push(message) };
  store = storeOn(connection, { sync: noSync(), log, monotonic: () => now });
  workflow = await newWorkflow(store);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** SQLite never goes below the current size of the file, so 1 means: no further page. */
const fillDisk = () => connection.script('PRAGMA max_page_count = 1');
const freeSpace = () => connection.script('PRAGMA max_page_count = 4294967294');
/** Too large for the free space in the last pages of the file. */
const largeRun = () => newExecution(workflow, { trigger: { payload: 'x'.repeat(100_000), text: '' } });

describe('on a full disk', () => {
  test('every call of the turn is rejected with a clear error, and nothing is stored or published', async () => {
    const received = listen(store);
    fillDisk();
    const results = await Promise.allSettled([
      store.executions.accept(newExecution(workflow)),
      store.executions.accept(largeRun()),
      store.workflows.update({ id: workflow.id, changes: { name: 'x' }, at: 1 }),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'store_unavailable',
          detail: expect.stringMatching(/cannot write now; nothing was stored.*disk is full/),
        },
      });
    }
    expect(received).toEqual([]);
    expect(logged).toEqual(['the database cannot write']);
    expect(await store.executions.openCount()).toBe(0);
    expect(await store.workflows.byId(workflow.id)).toEqual(workflow);
    expect(await claim(store)).toEqual([]);
  });

  test('reads still work', async () => {
    fillDisk();
    await expect(store.executions.accept(largeRun())).rejects.toThrow();
    expect(await store.workflows.bySlug(workflow.slug)).toEqual(workflow);
  });

  test('writes work again as soon as there is space, and the version is pinned then', async () => {
    fillDisk();
    await expect(store.executions.accept(largeRun())).rejects.toThrow();
    freeSpace();
    const run = largeRun();
    expect(await store.executions.accept(run)).toEqual({ id: run.id, created: true });
    expect(await store.graphs.pinned({ workflowId: workflow.id, version: workflow.version })).toEqual(run.graph);
    expect((await claim(store)).map(({ id }) => id)).toEqual([run.id]);
  });

  test('a file that another program has locked gives a different error', async () => {
    const other = new Connection(join(folder, 'millrace.db'));
    other.script('BEGIN IMMEDIATE');
    connection.script('PRAGMA busy_timeout = 0');
    const rejected = { code: 'store_unavailable', detail: expect.stringContaining('another program has locked it') };
    await expect(store.executions.accept(newExecution(workflow))).rejects.toMatchObject(rejected);
    other.close();
    expect((await store.executions.accept(newExecution(workflow))).created).toBe(true);
  });
});

test('after a failed write, the service is not healthy until ten seconds have passed and a write has succeeded', async () => {
  await store.ping();
  fillDisk();
  await expect(store.executions.accept(largeRun())).rejects.toThrow();
  const full = { code: 'store_unavailable', detail: expect.stringContaining('its disk is full') };
  now += 9_999;
  await expect(store.ping()).rejects.toMatchObject(full);
  freeSpace();
  await expect(store.ping()).rejects.toMatchObject(full);
  now += 1;
  await store.ping();
  const other = new Connection(join(folder, 'millrace.db'));
  other.script('BEGIN IMMEDIATE');
  connection.script('PRAGMA busy_timeout = 0');
  await expect(store.executions.accept(newExecution(workflow))).rejects.toThrow();
  now += 10_000;
  // Each ping tries to write.
  const locked = { detail: expect.stringContaining('another program has locked it') };
  await expect(store.ping()).rejects.toMatchObject(locked);
  other.close();
  now += 10_000;
  await store.ping();
});
