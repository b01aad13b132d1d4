import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { Instant } from '@millrace/core';
import Database from 'better-sqlite3';
import { BackupError, type BackupManifest } from '../../backup.ts';
import { digestOf, type Gap } from './digest.ts';

/**
 * The manifest is a table of the backup, so that a backup is one file; the running service has no such table. Its digest
 * covers every byte of the file except the digest itself: SQLite has no checksums, and would not notice a changed value.
 */
const table = 'backup_manifest';
const digestLength = 64;
const noDigest = '0'.repeat(digestLength);

/** The kinds of objects that are counted. Older schemas do not have all of them. */
const counted = ['users', 'workflows', 'executions', 'credentials', 'variables'];

/** Writes the manifest into a copy of a database that no other connection has open, and seals it with its digest. */
export function sealBackup(path: string, createdAt: Instant): BackupManifest {
  const db = new Database(path, { fileMustExist: true });
  let manifest: BackupManifest;
  let gap: Gap;
  try {
    // One file: no log beside it that could be forgotten.
    db.pragma('journal_mode = DELETE');
    manifest = describe(db, createdAt);
    db.transaction(() => {
      // The copy is complete without a log.
      if (has(db, 'database_use')) db.exec('UPDATE database_use SET is_open = 0');
      db.exec(`CREATE TABLE ${table} (manifest TEXT NOT NULL, digest TEXT NOT NULL) STRICT`);
      db.prepare(`INSERT INTO ${table} (manifest, digest) VALUES (?, ?)`).run(JSON.stringify(manifest), noDigest);
    })();
    gap = gapOf(db, path, noDigest);
  } finally {
    db.close();
  }
  writeAt(path, gap.start, digestOf(path, gap));
  return manifest;
}

/** Reads the manifest and verifies the digest. @throws BackupError */
export function readManifest(db: Database.Database, path: string): BackupManifest {
  if (!has(db, table)) {
    throw new BackupError(
      'The file is no backup that `millrace backup` made. To use a plain copy of a database, see docs/backup.md.',
    );
  }
  const row = db.prepare<[], { manifest: string; digest: string }>(`SELECT manifest, digest FROM ${table}`).get();
  if (row === undefined || digestOf(path, gapOf(db, path, row.digest)) !== row.digest) {
    throw new BackupError('The backup is damaged: its content differs from its digest. Use another backup.');
  }
  return JSON.parse(row.manifest) as BackupManifest;
}

/** Makes the copy an ordinary database again. */
export function removeManifest(db: Database.Database): void {
  db.exec(`DROP TABLE ${table}`);
}

function describe(db: Database.Database, createdAt: Instant): BackupManifest {
  const number = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const kinds = counted.filter((name) => has(db, name));
  return {
    createdAt,
    schemaVersion: number('SELECT max(number) FROM migrations'),
    counts: Object.fromEntries(kinds.map((name) => [name, number(`SELECT count(*) FROM ${name}`)])),
    keyIds: has(db, 'secret_keys')
      ? db.prepare<[], string>('SELECT id FROM secret_keys ORDER BY id').pluck().all()
      : [],
  };
}

function has(db: Database.Database, name: string): boolean {
  return db.prepare<[string]>(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}

/** Where the digest is: the table has one row, which is in its first page. */
function gapOf(db: Database.Database, path: string, digest: string): Gap {
  const size = Number(db.pragma('page_size', { simple: true }));
  const root =
    db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) ?? 0;
  const page = Buffer.alloc(size);
  const file = openSync(path, 'r');
  try {
    readSync(file, page, 0, size, (root - 1) * size);
  } finally {
    closeSync(file);
  }
  const at = page.indexOf(digest);
  if (at === -1) throw new BackupError('The backup is damaged: it has no digest. Use another backup.');
  return { start: (root - 1) * size + at, length: digestLength };
}

function writeAt(path: string, at: number, text: string): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, text, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
