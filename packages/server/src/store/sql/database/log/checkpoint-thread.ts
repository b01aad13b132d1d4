import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { CheckpointOrder, PassKind, PassResult } from './checkpoints.ts';

/**
 * The thread that copies the log's pages into the database file: SQLite does this in the calling thread, which waits
 * for the disk. The thread has its own connection and does nothing else. One message requests one pass.
 */
const { path, busyTimeoutMs } = workerData as CheckpointOrder;
const db = new Database(path, { timeout: busyTimeoutMs });
// Syncs the log before its pages are copied, and the database after that.
db.pragma('synchronous = NORMAL');

/** Milliseconds for which a restart waits for readers. All writes wait meanwhile; reads of the service take less. */
const readersMs = 100;

function pass(kind: PassKind): PassResult {
  try {
    // PASSIVE copies what it can, without blocking readers or writers.
    const copied = checkpoint('PASSIVE');
    if (kind === 'copy' || copied.busy) return { error: null, isBlocked: copied.busy };
    db.pragma(`busy_timeout = ${readersMs}`);
    return { error: null, isBlocked: checkpoint('RESTART').busy };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isBlocked: false };
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

function checkpoint(mode: 'PASSIVE' | 'RESTART'): { readonly busy: boolean } {
  const [row] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number }[];
  return { busy: row?.busy === 1 };
}

parentPort?.on('message', (kind: PassKind) => parentPort?.postMessage(pass(kind)));
