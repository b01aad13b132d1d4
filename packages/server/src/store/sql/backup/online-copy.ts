import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { BackupError } from '../../backup.ts';
import { busyTimeoutMs } from '../database/connection.ts';

/** The database to copy, and where to. */
interface CopyOrder {
  readonly database: string;
  readonly target: string;
  /** Bytes by which the log of the database may grow meanwhile. */
  readonly maxGrowth: number;
  readonly signal?: AbortSignal | undefined;
}

/** 1 MiB: between two steps the size of the log is checked. */
const pagesPerStep = 256;

/**
 * Copies the state of one moment, while a service writes. One read transaction holds that state: otherwise SQLite would
 * begin again after each commit of the service. It blocks no writer, but the log cannot restart meanwhile, so its growth
 * is limited.
 * @throws BackupError, errors of SQLite
 */
export async function copyOnline({ database, target, maxGrowth, signal }: CopyOrder): Promise<void> {
  const db = new Database(database, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    db.exec('BEGIN');
    // The transaction begins with its first read.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const before = logBytes(database);
    await db.backup(target, {
      progress() {
        if (signal?.aborted === true) throw new BackupError('The backup was interrupted; nothing was stored.');
        if (logBytes(database) > before + maxGrowth) throw logTooLarge(maxGrowth);
        return pagesPerStep;
      },
    });
  } finally {
    db.close();
  }
}

function logBytes(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function logTooLarge(maxGrowth: number): BackupError {
  const mib = Math.round(maxGrowth / 1_048_576);
  return new BackupError(
    `The service wrote so much during the backup that its log grew by more than ${mib} MiB, so the backup was stopped ` +
      'and nothing was stored. Make it at a quieter time, or onto a faster disk.',
  );
}
