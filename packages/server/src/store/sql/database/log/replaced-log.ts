import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncToDisk } from '../../../../ground/durable-files.ts';
import { firstDamage } from '../first-damage.ts';

/**
 * What was done about a log that an earlier version moved away: `applied` to the damaged database that it belongs to, or
 * `kept`, because the database is whole without it or is not its database.
 */
export type ReplacedLog = 'none' | 'applied' | 'kept';

/** Where a damaged database stays after its log was applied to a copy of it. */
export function damagedCopy(database: string): string {
  return `${database}.damaged`;
}

/**
 * An earlier version moved the log of a database away while it was being copied into the file. If the service was killed
 * then, the file is damaged without this log. The log is applied to a copy, which takes the place of the database only
 * if it is whole: a log damages any database but its own. The caller has locked the database.
 */
export function applyReplacedLog(database: string): ReplacedLog {
  const log = `${database}-wal.replaced`;
  const copy = `${database}.recovering`;
  removeCopy(copy);
  if (!existsSync(log)) return 'none';
  if (!existsSync(database) || hasOwnLog(database)) return 'kept';
  copyFileSync(database, copy);
  const isNeeded = damageOf(copy) !== null;
  removeCopy(copy);
  if (!isNeeded) return 'kept';
  copyFileSync(database, copy);
  copyFileSync(log, `${copy}-wal`);
  if (damageOf(copy) !== null) {
    removeCopy(copy);
    return 'kept';
  }
  replaceBy(copy, { database, log });
  return 'applied';
}

/** A log that was written since belongs to the file as it is now. */
function hasOwnLog(database: string): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Closing the copy brings its log into it. */
function damageOf(copy: string): string | null {
  const db = new Database(copy);
  try {
    return firstDamage(db, 'whole');
  } finally {
    db.close();
  }
}

/** The rename is the decision: before it nothing has changed, and after it the database is whole. */
function replaceBy(copy: string, { database, log }: { readonly database: string; readonly log: string }): void {
  copyFileSync(database, damagedCopy(database));
  syncToDisk(copy);
  rmSync(`${database}-shm`, { force: true });
  rmSync(`${database}-wal`, { force: true });
  renameSync(copy, database);
  renameSync(log, `${database}-wal.applied`);
  syncToDisk(dirname(database));
  removeCopy(copy);
}

function removeCopy(copy: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
}
