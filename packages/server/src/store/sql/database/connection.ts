import Database from 'better-sqlite3';
import { closedStore, readFailure } from './failures.ts';

/** A prepared statement: its parameters in order, and the row it gives. */
export type Statement<Params extends unknown[], Row = unknown> = Database.Statement<Params, Row>;

/** The one connection of this process to its database file. Reads see what is committed. */
export class Connection {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Statement<unknown[]>>();
  #logState: Statement<[], { readonly log: number; readonly checkpointed: number }> | undefined;

  constructor(path: string) {
    this.#db = new Database(path, { timeout: busyTimeoutMs });
    // Lets the pages of deleted rows be given back to the system. On a file that has pages already, this would be a write.
    if (this.#number('page_count') === 0) this.#db.pragma('auto_vacuum = INCREMENTAL');
    for (const pragma of pragmas) this.#db.pragma(pragma);
  }

  /** Prepares a statement for its place in the code, once. */
  prepare<Params extends unknown[], Row = unknown>(sql: string): Statement<Params, Row> {
    return this.#db.prepare<Params, Row>(sql);
  }

  /** Runs a query whose text is put together at run time; each text is prepared once. */
  all<Row>(sql: string, params: readonly unknown[]): Row[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare<unknown[]>(sql);
      this.#prepared.set(sql, statement);
    }
    return statement.all(...params) as Row[];
  }

  /** Makes a read a promise: its value, or a rejection in words for the caller. */
  read<T>(query: () => T): Promise<T> {
    try {
      return Promise.resolve(query());
    } catch (error) {
      return Promise.reject(this.#db.open ? readFailure(error) : closedStore());
    }
  }

  /** Several statements without parameters, as a migration has. */
  script(sql: string): void {
    this.#db.exec(sql);
  }

  /** Gives SQL a function of ours; it must depend on its arguments alone. */
  define(name: string, fn: (...args: unknown[]) => unknown): void {
    this.#db.function(name, { deterministic: true }, fn);
  }

  /** False again after SQLite has rolled back by itself, as it does on a full disk. */
  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * A commit no longer waits for the disk. From then on the writer must sync the log, and have it copied to the database
   * file before it grows large.
   */
  leaveDiskToWriter(): void {
    this.#db.pragma('synchronous = NORMAL');
    this.#db.pragma('wal_autocheckpoint = 0');
  }

  /** Pages of the log that no checkpoint has copied to the database file yet. */
  uncopiedPages(): number {
    this.#logState ??= this.#db.prepare('PRAGMA wal_checkpoint(NOOP)');
    const { log = 0, checkpointed = 0 } = this.#logState.get() ?? {};
    return log - checkpointed;
  }

  /**
   * Lets a file that was made before files could shrink do so: it is written anew, which takes a second for each 100 MB.
   * False for a larger file than `maxBytes`, which stays as it is.
   */
  makeShrinkable(maxBytes: number): boolean {
    if (this.#number('auto_vacuum') === incremental) return true;
    if (this.#number('page_count') * this.#number('page_size') > maxBytes) return false;
    this.#db.pragma('auto_vacuum = INCREMENTAL');
    this.#db.exec('VACUUM');
    return true;
  }

  /** Gives up to so many free pages back to the system; true when it gave, and there are more. A few stay for new rows. */
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

/** SQLite's number for the mode of `auto_vacuum` in which pages are given back when they are asked for. */
const incremental = 2;
/** Free pages that stay in the file, 8 MiB: new runs take them in a minute or two, and asking the system for more costs. */
const sparePages = 2048;

// Only a backup or a person's sqlite3 shell can hold the file; 2 s outlasts either, and the whole service waits with it.
export const busyTimeoutMs = 2000;

const pragmas = [
  'journal_mode = WAL',
  // FULL: a commit returns after fsync. WAL's own default would lose the last commits in a power cut.
  'synchronous = FULL',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  // 64 MiB of pages, so that the tree tops of a database of gigabytes stay in memory.
  'cache_size = -65536',
  // After a burst the write-ahead log shrinks back to this: 64 MiB.
  'journal_size_limit = 67108864',
];
