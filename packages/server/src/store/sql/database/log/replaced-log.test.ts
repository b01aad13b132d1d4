import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../sqlite.ts';

const pageBytes = 4096;

let folder: string;
let path: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-replaced-'));
  path = join(folder, 'millrace.db');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function open() {
  const log = {
    error: (_details: object, message: string) => void lines.push(message),
    warn: (_details: object, message: string) => void lines.push(message),
  };
  return openSqliteStore({ path, log, isService: true });
}

/** Adds rows, so that the log has pages of the tree that the file does not have. */
function addRows(db: Database.Database): void {
  db.exec(`CREATE TABLE rows (n INTEGER PRIMARY KEY, text TEXT); CREATE INDEX texts ON rows (text);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO rows SELECT n, hex(n * 7919) || 'x' FROM numbers`);
}

/**
 * A database whose log was being copied when the service was killed, and whose log was moved away: every second page of
 * the file is copied.
 */
async function interrupted(): Promise<void> {
  await open().close();
  const db = new Database(path);
  db.pragma('wal_autocheckpoint = 0');
  addRows(db);
  const before = readFileSync(path);
  copyFileSync(`${path}-wal`, join(folder, 'log'));
  db.close();
  const after = readFileSync(path);
  for (let at = 0; at < before.length; at += 2 * pageBytes) before.copy(after, at, at, at + pageBytes);
  for (let at = before.length; at < after.length; at += 2 * pageBytes) after.fill(0, at, at + pageBytes);
  writeFileSync(path, after);
  copyFileSync(join(folder, 'log'), `${path}-wal.replaced`);
  rmSync(join(folder, 'log'));
}

function rows(): number {
  const db = new Database(path, { readonly: true });
  try {
    return (db.prepare('SELECT count(*) AS n FROM rows').get() as { n: number }).n;
  } finally {
    db.close();
  }
}

test('a log that an earlier version moved away is applied to its damaged database', async () => {
  await interrupted();
  const damaged = readFileSync(path);
  const store = open();
  expect(lines).toEqual([
    'an earlier version moved the log of the database away: it was applied, and the database is whole again',
  ]);
  await store.ping();
  await store.close();
  expect(readdirSync(folder).sort()).toEqual(['millrace.db', 'millrace.db-wal.applied', 'millrace.db.damaged']);
  expect(readFileSync(`${path}.damaged`).equals(damaged)).toBe(true);
  expect(rows()).toBe(20_000);
  lines = [];
  await open().close();
  expect(lines).toEqual([]);
});

/** A database without these tables and indexes, and a log that does not restore them. */
async function damaged(names: readonly string[]): Promise<void> {
  await open().close();
  const db = new Database(path);
  addRows(db);
  const pages = names.flatMap((name) => db.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck().all(name));
  db.close();
  const bytes = readFileSync(path);
  for (const page of pages) bytes.fill(0, (Number(page) - 1) * pageBytes, Number(page) * pageBytes);
  writeFileSync(path, bytes);
  writeFileSync(`${path}-wal.replaced`, Buffer.alloc(100_000));
}

const kept =
  'an earlier version moved a log of the database away, which cannot be applied: move it to another folder, see docs/storage.md';

test.each([
  ['whole', () => rmSync(path)],
  ['written since', () => copyFileSync(`${path}-wal.replaced`, `${path}-wal`)],
])('a log that an earlier version moved away is kept beside a database that is %s', async (kind, prepare) => {
  await interrupted();
  prepare();
  if (kind === 'whole') await openSqliteStore({ path }).close();
  await open().close();
  expect(lines[0]).toBe(kept);
  expect([existsSync(`${path}-wal.replaced`), existsSync(`${path}.damaged`)]).toEqual([true, false]);
});

test('a log that does not repair a damaged database is kept, and the database is only read', async () => {
  await damaged(['rows', 'texts']);
  const store = open();
  expect(lines).toEqual([
    kept,
    'the file of the database is damaged: nothing more is stored; restore a backup or recover the data, see docs/storage.md',
  ]);
  await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await store.users.list({ limit: 1, offset: 0 })).toEqual({ items: [], total: 0 });
  await store.close();
  expect([existsSync(`${path}-wal.replaced`), existsSync(`${path}.damaged`)]).toEqual([true, false]);
});

test('a log that does not repair the list of steps of a database is kept, and the service does not start', async () => {
  await damaged(['migrations']);
  expect(open).toThrow('malformed');
  expect(lines).toEqual([kept]);
  expect([existsSync(`${path}-wal.replaced`), existsSync(`${path}.damaged`)]).toEqual([true, false]);
});
