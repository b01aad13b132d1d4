import { statSync } from 'node:fs';
import type { Connection } from '../database/connection.ts';
import { lockFile } from '../database/data-lock.ts';
import { isStorageFailure } from '../database/failures.ts';

/**
 * A mark in the file of a database while a service has it open. A file that has the mark but no log was copied, or its
 * log was deleted, while a service used it: what was in the log is missing. Only the file itself is copied with it, so the
 * mark cannot be anywhere else.
 */
export class DatabaseUse {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #hadLog: boolean;

  /** `hadLog`: from before the connection was opened, which creates a log. */
  constructor(connection: Connection, path: string, hadLog: boolean) {
    this.#connection = connection;
    this.#path = path;
    this.#hadLog = hadLog;
  }

  /** Sets the mark. Returns true if the log of the file is missing. */
  begin(): boolean {
    if (this.#isOpen()) return !this.#hadLog;
    try {
      this.#connection.script('UPDATE database_use SET is_open = 1');
      // Into the file: in the log, it would not be copied with it.
      this.#connection.script('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // A full disk does not stop the start: what is stored can be read.
      if (!isStorageFailure(error)) throw error;
    }
    return false;
  }

  /** Removes the mark before the log is written into the file. */
  end(): void {
    this.#connection.script('UPDATE database_use SET is_open = 0');
  }

  /** The same for a command: after a crash, it is the one that writes the log into the file. */
  endUnlessServed(): void {
    if (!this.#isOpen()) return;
    const unlock = lockFile(`${this.#path}.lock`);
    if (unlock === null) return;
    try {
      this.end();
    } finally {
      unlock();
    }
  }

  #isOpen(): boolean {
    return this.#connection.all<{ is_open: number }>('SELECT is_open FROM database_use', [])[0]?.is_open === 1;
  }
}

/** True if there is a log with content. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
