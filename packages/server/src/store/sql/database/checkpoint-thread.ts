import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { CheckpointOrder, PassResult } from './checkpoints.ts';

/**
 * The thread that copies the log's pages into the database file: SQLite does this in the calling thread, which waits
 * for the disk. The thread has its own connection and does nothing else. One message requests one pass.
 */
const { path, busyTimeoutMs } = workerData as CheckpointOrder;
const db = new Database(path, { timeout: busyTimeoutMs });
// Syncs the log before its pages are copied, and the database after that.
db.pragma('synchronous = NORMAL');

function pass(): PassResult {
  try {
    // PASSIVE: copies what it can without blocking readers or writers.
    db.pragma('wal_checkpoint(PASSIVE)');
    return { error: null };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', () => parentPort?.postMessage(pass()));
