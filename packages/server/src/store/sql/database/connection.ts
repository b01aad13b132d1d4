import type { Problem, SlicedWork } from '@millrace/core';
import Database from 'better-sqlite3';
import { slices } from '../../../ground/slices.ts';
import { closedStore, isDamagedFile, readFailure } from './failures.ts';
import { firstDamage } from './first-damage.ts';

/** A prepared statement with its parameters in order and the row it returns. */
export type Statement<Params extends unknown[], Row = unknown> = Database.Statement<Params, Row>;

/** The one connection of this process to its database file. Reads see committed data. */
export class Connection {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Statement<unknown[]>>();
  #logState: Statement<[], { readonly log: number; readonly checkpointed: number }> | undefined;
  #lost: Problem | null = null;
  #reportDamage: (found: string) => void = () => undefined;

  constructor(path: string) {
    this.#db = new Database(path, { timeout: busyTimeoutMs });
    // Allows the pages of deleted rows to be returned to the system. On a file that already has pages, this would be a
    // write.
    if (this.#number('page_count') === 0) this.#db.pragma('auto_vacuum = INCREMENTAL');
    for (const pragma of pragmas) this.#db.pragma(pragma);
  }

  /** Prepares a statement once, for one place in the code. */
  prepare<Params extends unknown[], Row = unknown>(sql: string): Statement<Params, Row> {
    return this.#db.prepare<Params, Row>(planOnce(sql));
  }

  /** Runs a query whose text is built at run time; each text is prepared once. */
  all<Row>(sql: string, params: readonly unknown[]): Row[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare<unknown[]>(planOnce(sql));
      this.#prepared.set(sql, statement);
    }
    return statement.all(...params) as Row[];
  }

  /** Converts a read to a promise of its value, or a rejection with an error message for the caller. */
  read<T>(query: () => T): Promise<T> {
    try {
      return Promise.resolve(this.#readNow(query));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #readNow<T>(query: () => T): T {
    if (this.#lost !== null) throw this.#lost;
    try {
      return query();
    } catch (error) {
      this.noteDamage(error);
      throw this.#db.open ? readFailure(error) : closedStore();
    }
  }

  /** Calls back whenever a statement meets damage in the file, with SQLite's description. */
  onDamage(report: (found: string) => void): void {
    this.#reportDamage = report;
  }

  /** Reports an error of a statement if it shows that the file is damaged. */
  noteDamage(error: unknown): void {
    if (error instanceof Error && isDamagedFile(error)) this.#reportDamage(error.message);
  }

  /** Reads the whole file: the first damage, or null. */
  firstDamage(): string | null {
    return firstDamage(this.#db, 'whole');
  }

  /** False after `close`. */
  get isOpen(): boolean {
    return this.#db.open;
  }

  /** The size of the file. */
  get bytes(): number {
    return this.#number('page_count') * this.#number('page_size');
  }

  /**
   * The same for a large read: between its slices the event loop does other work. The data may change in between, so
   * the query must read what cannot.
   */
  readInSlices<T>(query: SlicedWork<T>): Promise<T> {
    return slices.finish(query, (step) => this.#readNow(step));
  }

  /** From now on every read is rejected: the open file is no longer the one at its path. */
  rejectReads(reason: Problem): void {
    this.#lost = reason;
  }

  /** Several statements without parameters, as in a migration. */
  script(sql: string): void {
    this.#db.exec(sql);
  }

  /** Defines an SQL function; its result must depend only on its arguments. */
  define(name: string, fn: (...args: unknown[]) => unknown): void {
    this.#db.function(name, { deterministic: true }, fn);
  }

  /** False again after SQLite has rolled back on its own, as it does on a full disk. */
  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * Commits no longer wait for the disk. From now on the writer must sync the log and have it copied to the database
   * file before it grows large.
   */
  leaveDiskToWriter(): void {
    this.#db.pragma('synchronous = NORMAL');
    this.#db.pragma('wal_autocheckpoint = 0');
  }

  /** The bytes of the log, and those of them that no checkpoint has yet copied to the database file. */
  logSize(): { readonly bytes: number; readonly uncopied: number } {
    const { log, checkpointed } = this.#readLogState();
    return { bytes: log * pageBytes, uncopied: (log - checkpointed) * pageBytes };
  }

  #readLogState(): { readonly log: number; readonly checkpointed: number } {
    this.#logState ??= this.#db.prepare('PRAGMA wal_checkpoint(NOOP)');
    return this.#logState.get() ?? { log: 0, checkpointed: 0 };
  }

  /**
   * Enables shrinking for a file that was created before files could shrink: it is rewritten, which takes a second per
   * 100 MB. False for a file larger than `maxBytes`, which is not changed.
   */
  makeShrinkable(maxBytes: number): boolean {
    if (this.#number('auto_vacuum') === incremental) return true;
    if (this.bytes > maxBytes) return false;
    this.#db.pragma('auto_vacuum = INCREMENTAL');
    this.#db.exec('VACUUM');
    return true;
  }

  /**
   * Returns up to this many free pages to the system; true if some were returned and there are more. A few are retained
   * for new rows.
   */
  giveBack(pages: number): boolean {
    const free = this.#number('freelist_count') - sparePages;
    if (free <= 0 || this.#number('auto_vacuum') !== incremental) return false;
    this.#db.pragma(`incremental_vacuum(${Math.min(pages, free)})`);
    return free > pages;
  }

  #number(pragma: string): number {
    return Number(this.#db.pragma(pragma, { simple: true }));
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Adds a plus sign, which changes nothing, to each parameter. SQLite looks at the values of bare parameters when it plans
 * `LIMIT ?`, a join, or `a = ? ORDER BY b`, and therefore prepares such a statement again after each change of a value:
 * 5 to 90 µs per call instead of 1. It does not look at the value of an expression.
 */
function planOnce(sql: string): string {
  return sql.replaceAll(/\?|@\w+/g, '+$&');
}

/** The size of a page, which is SQLite's default. */
const pageBytes = 4096;
/** SQLite's number for the `auto_vacuum` mode in which pages are returned on request. */
const incremental = 2;
/**
 * Free pages that are retained in the file, 8 MiB: new runs use them within a minute or two, and requesting more from
 * the system costs time.
 */
const sparePages = 2048;

// Only a backup or a person's sqlite3 shell can lock the file; 2 s is longer than either needs. The whole service
// waits.
export const busyTimeoutMs = 2000;

const pragmas = [
  'journal_mode = WAL',
  // FULL: a commit returns after fsync. The default for WAL would lose the last commits in a power failure.
  'synchronous = FULL',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  // 16 MiB of pages: the upper tree levels of a database of several gigabytes. The system caches the others too, and the
  // memory of these pages is never returned to it.
  'cache_size = -16384',
  // After a burst, the write-ahead log is truncated to this size: 64 MiB.
  'journal_size_limit = 67108864',
];
