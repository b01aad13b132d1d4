import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../../ground/durable-files.ts';

/** The verified copy that is to replace a database. Its existence is the decision: the process that finds it completes it. */
export function restoredFile(database: string): string {
  return `${database}.restored`;
}

/** Where the database before a restore is moved. */
export function replacedFile(database: string): string {
  // The copy keeps its time when it is renamed, so a second attempt finds the same name.
  const stamp = new Date(statSync(restoredFile(database)).mtimeMs).toISOString().replaceAll(/[-:.]/g, '');
  return `${database}.before-restore-${stamp}`;
}

/** True if a replacement was interrupted after it took effect. */
export function isRestorePending(database: string): boolean {
  return existsSync(restoredFile(database));
}

/**
 * Puts the verified copy in the place of the database. A log damages any database but its own, so the log of the old one
 * is moved with it first. Each step can be repeated: a process that is killed here leaves the rest to the next start.
 * Returns false if there is no such copy. The caller has locked the database.
 */
export function finishRestore(database: string): boolean {
  // Of a restore that was killed before it was complete.
  rmSync(`${database}.restoring`, { force: true });
  if (!isRestorePending(database)) return false;
  const replaced = replacedFile(database);
  for (const suffix of ['', '-wal', '-journal']) {
    if (existsSync(database + suffix)) renameSync(database + suffix, replaced + suffix);
  }
  // The index of the log, and the note about the runs that were in progress.
  for (const suffix of ['-shm', '-work']) rmSync(database + suffix, { force: true });
  syncToDisk(dirname(database));
  renameSync(restoredFile(database), database);
  syncToDisk(dirname(database));
  return true;
}
