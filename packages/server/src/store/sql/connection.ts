import Database from 'better-sqlite3';
import { closedStore, readFailure } from './failures.ts';

/** A prepared statement: its parameters in order, and the row it gives. */
export type Statement<Params extends unknown[], Row = unknown> = Database.Statement<Params, Row>;

/** The one connection of this process to its database file. Reads see what is committed. */
export class Connection {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Statement<unknown[]>>();

  constructor(path: string) {
    this.#db = new Database(path, { timeout: busyTimeoutMs });
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

  /** A commit no longer waits for fsync; SQLite itself syncs only around checkpoints. Who commits must sync the log. */
  leaveSyncToWriter(): void {
    this.#db.pragma('synchronous = NORMAL');
  }

  close(): void {
    this.#db.close();
  }
}

// Only a backup or a person's sqlite3 shell can hold the file; 2 s outlasts either, and the whole service waits with it.
const busyTimeoutMs = 2000;

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
  // A checkpoint each 4,000 pages (16 MiB), not 1,000: a hot page is then copied to the database a quarter as often.
  'wal_autocheckpoint = 4000',
];
