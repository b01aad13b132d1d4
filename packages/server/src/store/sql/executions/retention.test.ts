import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newExecution, newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-retention-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the database file', () => {
  const payload = { text: 'x'.repeat(20_000) };

  test('shrinks after its runs are deleted', async () => {
    const path = join(folder, 'runs.db');
    const store = openSqliteStore({ path });
    const workflow = await newWorkflow(store);
    const trigger = { payload, text: '' };
    const runs = Array.from({ length: 1500 }, () => newExecution(workflow, { trigger }));
    await Promise.all(runs.map((run) => store.executions.accept(run)));
    await Promise.all(runs.map(({ id }) => store.executions.cancel({ id, at: start })));
    const limits = { endedBefore: start + 1, excess: 0, recentSince: 0, keysSince: 0, limit: 2000, after: null };
    const prune = () => store.retention.prune({ workflowId: workflow.id, ...limits });
    // One transaction deletes some 16 MiB.
    expect(await prune()).toMatchObject({ removed: 834, next: {} });
    expect(await prune()).toMatchObject({ removed: 666, next: null });
    while (await store.retention.compact({ pages: 256 }));
    await store.close();
    // It held 30 MB of payloads; 8 MiB are retained for new rows.
    expect(statSync(path).size).toBeLessThan(12_000_000);
  });

  test('that was created before files could shrink is rewritten if that is allowed, and otherwise left', async () => {
    const path = join(folder, 'old.db');
    const old = new Database(path);
    old.exec('CREATE TABLE anything (x); INSERT INTO anything VALUES (1)');
    old.close();
    const mode = () => {
      const db = new Database(path, { readonly: true });
      const found = db.pragma('auto_vacuum', { simple: true });
      db.close();
      return found;
    };
    await openSqliteStore({ path }).close();
    expect(mode()).toBe(0);
    await openSqliteStore({ path, isService: true }).close();
    expect(mode()).toBe(2);
  });
});
