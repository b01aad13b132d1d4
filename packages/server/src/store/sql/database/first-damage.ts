import type Database from 'better-sqlite3';
import { resultCodeOf } from './result-code.ts';

/** `quick` examines the structure of the file; `whole` also checks that each index matches its table. */
export type CheckDepth = 'quick' | 'whole';

/**
 * The first damage that SQLite finds in a database file; null if there is none. It reads every page. It cannot detect
 * that a value was replaced by another of the same size: a database has no checksums.
 * @throws an error of SQLite that is not about the content of the file
 */
export function firstDamage(db: Database.Database, depth: CheckDepth): string | null {
  try {
    const pragma = depth === 'quick' ? 'quick_check(1)' : 'integrity_check(1)';
    const found = String(db.pragma(pragma, { simple: true }));
    return found === 'ok' ? null : found.replace('*** in database main ***', '').replaceAll(/\s+/g, ' ').trim();
  } catch (error) {
    if (!(error instanceof Error) || !unreadable.has(resultCodeOf(error) ?? '')) throw error;
    return error.message;
  }
}

/** A page that the disk cannot read is as lost as a damaged one. */
const unreadable: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR']);
