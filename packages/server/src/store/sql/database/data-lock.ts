import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Another process already uses a resource that only one process may use. The message is one line. */
export class AlreadyInUse extends Error {
  constructor(what: string) {
    super(`Another Millrace already uses ${what}: stop it first, or give this one its own.`);
    this.name = 'AlreadyInUse';
  }
}

/**
 * Locks the data directory for this process until the returned function is called or the process ends. It is a lock of
 * the operating system, held through an open transaction, so even kill -9 releases it at once.
 */
export function lockDataDirectory(directory: string): () => void {
  const unlock = lockFile(join(directory, 'millrace.lock'));
  if (unlock === null) throw new AlreadyInUse(`the data directory ${directory}`);
  return unlock;
}

/**
 * Locks a database in the same way: it may be outside the data directory, where another service could use it too. Two
 * services on one database would take each other's runs, and would trust cached rows that the other has changed.
 */
export function lockDatabase(path: string): () => void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const unlock = lockFile(`${file}.lock`);
  if (unlock === null) throw new AlreadyInUse(`the database ${path}`);
  return unlock;
}

/** Creates and locks a file; null if another process has locked it. */
export function lockFile(path: string): (() => void) | null {
  const db = new Database(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  held.add(db);
  return () => {
    held.delete(db);
    db.close();
  };
}

/** Protects locks from the garbage collector, which would close the file and release a lock that its caller dropped. */
const held = new Set<Database.Database>();
