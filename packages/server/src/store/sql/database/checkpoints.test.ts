import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../store.ts';
import { newExecution, newWorkflow } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';
import { type Checkpoints, checkpointsOf } from './checkpoints.ts';
import { Connection } from './connection.ts';

const mebibyte = 1_048_576;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-checkpoints-'));
  path = join(folder, 'millrace.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const sizeOf = (file: string) => statSync(file).size;

/** More than the log ever holds: so many pages are copied only if the log restarts repeatedly. */
const clearlyLarger = 64 * mebibyte;
/** 400 MB. A log that restarts stays small at any disk speed; one that does not fails the test here. */
const mostRuns = 20_000;

describe('the log of a store that writes continuously', () => {
  test('restarts from its beginning, so that the database file grows larger than the log', async () => {
    const store = openSqliteStore({ path });
    const workflow = await newWorkflow(store);
    const run = () => newExecution(workflow, { trigger: { payload: 'x'.repeat(20_000), text: '' } });
    const outgrown = () => sizeOf(path) > sizeOf(`${path}-wal`) + clearlyLarger;
    let written = 0;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (!outgrown() && written < mostRuns) {
          written += 1;
          await store.executions.accept(run());
        }
      }),
    );
    expect(outgrown()).toBe(true);
    const received: unknown[] = [];
    store.subscribe({ accessChanged: (changes) => void received.push(...changes) });
    await store.detectExternalChanges();
    expect(received, 'the thread counts as another process').toEqual([]);
    await store.close();
    await expectRuns(path, written);
  });
});

/** Nothing is lost between the log and the file. */
async function expectRuns(at: string, least: number): Promise<void> {
  const store: Store = openSqliteStore({ path: at });
  expect(await store.executions.openCount()).toBeGreaterThanOrEqual(least);
  await store.close();
}

describe('checkpoints', () => {
  let connection: Connection;
  let checkpoints: Checkpoints;
  let warnings: string[];
  /** Resolves the next time that writes have to wait, with whether `pause` is set. */
  let paused: PromiseWithResolvers<boolean>;
  beforeEach(() => {
    warnings = [];
    paused = Promise.withResolvers();
    connection = new Connection(path);
    connection.leaveDiskToWriter();
    connection.script('CREATE TABLE texts (text TEXT)');
    checkpoints = checkpointsOf(connection, path, {
      warn: (_details, message) => void warnings.push(message),
      debug: () => paused.resolve(checkpoints.pause !== null),
    });
  });
  afterEach(async () => {
    await checkpoints.close();
    connection.close();
  });

  /** Pages of the log, and enough commits for the log to be checked. */
  function write(pages: number): void {
    connection.prepare<[number]>('INSERT INTO texts VALUES (randomblob(? * 4096))').run(pages);
    for (let commit = 0; commit < 8; commit += 1) checkpoints.committed();
  }

  async function untilPaused(): Promise<void> {
    expect(await paused.promise).toBe(true);
    await checkpoints.pause;
    paused = Promise.withResolvers();
  }

  test('ignore a small log', async () => {
    write(3_000);
    await checkpoints.close();
    expect(connection.uncopiedPages()).toBeGreaterThan(3_000);
  });

  test('copy a log of 16 MiB, and the writer waits only for the last part', async () => {
    write(4_000);
    expect(checkpoints.pause).toBeNull();
    await untilPaused();
    expect(connection.uncopiedPages()).toBe(0);
    expect(sizeOf(path)).toBeGreaterThan(15 * mebibyte);
  });

  test('copy later pages too', async () => {
    write(4_000);
    await untilPaused();
    await checkpoints.close();
    write(4_000);
    await untilPaused();
    expect(connection.uncopiedPages()).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('are logged and retried later when they fail, and no written data is lost', async () => {
    const away = join(folder, 'away');
    mkdirSync(away);
    renameSync(path, join(away, 'millrace.db'));
    mkdirSync(path);
    write(4_000);
    while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(['the log could not be copied to the database file; it grows until that succeeds']);
    expect(checkpoints.pause).toBeNull();
    rmSync(path, { recursive: true });
    renameSync(join(away, 'millrace.db'), path);
    for (let commits = 0; commits < 1000; commits += 1) checkpoints.committed();
    await untilPaused();
    expect(connection.uncopiedPages()).toBe(0);
    expect(connection.all('SELECT count(*) AS n FROM texts', [])).toEqual([{ n: 1 }]);
  });
});
