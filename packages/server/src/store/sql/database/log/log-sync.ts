import { closeSync, fdatasync, openSync } from 'node:fs';

/** Syncs what has been written to the write-ahead log to disk. */
export interface LogSync {
  /** Calls back when everything that was written before this call is on disk, or with the error if it is not. */
  start(done: (error: Error | null) => void): void;
  close(): void;
}

/**
 * The sync of a database file's log, on a pool thread: SQLite itself would block the event loop for every fsync. A
 * separate descriptor is safe here: SQLite's locks are on the database and on its index of the log, never on the log,
 * and while the database is open the log is emptied but not replaced.
 */
export function syncOfLog(databasePath: string): LogSync {
  const descriptor = openSync(`${databasePath}-wal`, 'r+');
  let isOpen = true;
  return {
    start: (done) => fdatasync(descriptor, done),
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** For a database in memory, which is lost when its process ends anyway. */
export function noSync(): LogSync {
  return { start: (done) => void setImmediate(done, null), close: () => undefined };
}
