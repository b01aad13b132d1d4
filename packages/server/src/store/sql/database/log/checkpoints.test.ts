import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../store.ts';
import { newExecution, newWorkflow } from '../../../testsuite/world.ts';
import { openSqliteStore } from '../../sqlite.ts';
import { Connection } from '../connection.ts';
import { type Checkpoints, checkpointsOf } from './checkpoints.ts';

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

/** 1/64 of the usual sizes. */
const limits = { due: mebibyte / 4, wait: mebibyte, reject: 5 * mebibyte, full: 6 * mebibyte };

let connection: Connection;
let checkpoints: Checkpoints;
let warnings: string[];
let now: number;
/** The retries that wait for their time. */
let retries: (() => void)[];
/** Resolves the next time that writes have to wait, with whether `pause` is set. */
let paused: PromiseWithResolvers<boolean>;
beforeEach(() => {
  warnings = [];
  now = 0;
  retries = [];
  paused = Promise.withResolvers();
  connection = new Connection(path);
  connection.leaveDiskToWriter();
  connection.script('CREATE TABLE texts (text TEXT)');
  checkpoints = checkpointsOf({
    connection,
    path,
    limits,
    monotonic: () => now,
    timers: {
      after: (_ms, retry) => {
        retries.push(retry);
        return () => undefined;
      },
    },
    log: {
      warn: (_details, message) => void warnings.push(message),
      debug: () => paused.resolve(checkpoints.pause !== null),
    },
  });
});
afterEach(async () => {
  await checkpoints.close();
  connection.close();
});

/** Adds bytes to the log in one commit. */
function write(bytes: number): void {
  connection.prepare<[number]>('INSERT INTO texts VALUES (randomblob(?))').run(bytes);
  checkpoints.committed(true);
}

async function untilPaused(): Promise<void> {
  expect(await paused.promise).toBe(true);
  await checkpoints.pause;
  paused = Promise.withResolvers();
}

/** Ends the attempt in progress and, a second later, the next one. */
async function retry(): Promise<void> {
  await checkpoints.pause;
  await new Promise((resolve) => setImmediate(resolve));
  for (const begin of retries.splice(0)) begin();
  await checkpoints.pause;
  await new Promise((resolve) => setImmediate(resolve));
}

/** A reader of another program, which keeps the log from restarting. */
function openReader(): Connection {
  const reader = new Connection(path);
  reader.script('BEGIN');
  reader.all('SELECT count(*) FROM texts', []);
  return reader;
}

describe('checkpoints', () => {
  test('ignore a small log', async () => {
    write(limits.due / 2);
    await checkpoints.close();
    expect(connection.logSize().uncopied).toBeGreaterThan(limits.due / 2);
  });

  test('look at the log only every few commits, unless a commit was long', async () => {
    connection.prepare<[number]>('INSERT INTO texts VALUES (randomblob(?))').run(limits.due);
    for (let commit = 0; commit < 7; commit += 1) checkpoints.committed(false);
    await checkpoints.close();
    expect(connection.logSize().uncopied).toBeGreaterThan(limits.due);
    checkpoints.committed(false);
    await untilPaused();
    expect(connection.logSize().uncopied).toBe(0);
  });

  test('copy a log that is due, and the writer waits only for the last part', async () => {
    write(limits.due);
    expect(checkpoints.pause).toBeNull();
    await untilPaused();
    expect(connection.logSize().uncopied).toBe(0);
    expect(sizeOf(path)).toBeGreaterThan(limits.due);
  });

  test('copy later pages too', async () => {
    write(limits.due);
    await untilPaused();
    await checkpoints.close();
    write(limits.due);
    await untilPaused();
    expect(connection.logSize().uncopied).toBe(0);
    expect(warnings).toEqual([]);
  });
});

describe('checkpoints of a log that cannot restart', () => {
  test('let the writer wait at once for a large log, also while it is being copied', async () => {
    write(limits.wait);
    expect(checkpoints.pause).not.toBeNull();
    await untilPaused();
    await checkpoints.close();
    write(limits.due);
    expect(checkpoints.pause).toBeNull();
    write(limits.wait);
    expect(checkpoints.pause).not.toBeNull();
  });

  test('report that the disk is behind once a wait takes long', async () => {
    write(limits.wait);
    now += 1_000;
    expect(checkpoints.backlog).toBeNull();
    now += 1;
    expect(checkpoints.backlog).toMatchObject({ code: 'overloaded', retryAfter: 5 });
    await untilPaused();
    expect(checkpoints.backlog).toBeNull();
  });

  test('keep the log within its bound while another program reads, and restart it afterwards', async () => {
    const reader = openReader();
    const seen = { behind: false, blocked: false };
    for (let round = 0; round < 100 && !seen.blocked; round += 1) {
      write(limits.due);
      await retry();
      seen.blocked = checkpoints.blocked !== null;
      seen.behind ||= checkpoints.backlog !== null && !seen.blocked;
    }
    expect(seen).toEqual({ behind: true, blocked: true });
    expect(sizeOf(`${path}-wal`)).toBeLessThan(limits.full + 2 * limits.due);
    expect(warnings).toEqual([
      'the log of the database cannot restart while another program reads it; it grows until that ends',
    ]);
    expect(checkpoints.problem).toMatchObject({ code: 'store_unavailable' });
    reader.close();
    // No commit is needed for it.
    await retry();
    expect([checkpoints.blocked, checkpoints.backlog]).toEqual([null, null]);
    write(4096);
    expect(connection.logSize().bytes).toBeLessThan(limits.due);
  });

  test('are logged and retried after a second when they fail, and no written data is lost', async () => {
    const away = join(folder, 'away');
    mkdirSync(away);
    renameSync(path, join(away, 'millrace.db'));
    mkdirSync(path);
    write(limits.due);
    while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(['the log could not be copied to the database file; it grows until that succeeds']);
    expect(checkpoints.pause).toBeNull();
    rmSync(path, { recursive: true });
    renameSync(join(away, 'millrace.db'), path);
    checkpoints.committed(true);
    expect(connection.logSize().uncopied).toBeGreaterThan(0);
    for (const begin of retries.splice(0)) begin();
    await untilPaused();
    expect(connection.logSize().uncopied).toBe(0);
    expect(connection.all('SELECT count(*) AS n FROM texts', [])).toEqual([{ n: 1 }]);
  });
});
