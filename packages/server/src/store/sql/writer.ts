import type { Connection, Statement } from './connection.ts';
import { Effects } from './effects.ts';
import { closedStore, isStorageFailure, writeFailure } from './failures.ts';

/** One call's writes: runs inside the transaction, perhaps twice, so it must keep nothing outside `effects`. */
export type Work<T> = (effects: Effects) => T;

/** What happens around each transaction. */
export interface CommitHooks {
  /** The last writes of the transaction. */
  readonly before: (effects: Effects) => void;
  /** The transaction is on disk. */
  readonly after: (effects: Effects) => void;
  /** Nothing of the transaction was stored. */
  readonly failed: (error: unknown) => void;
}

/**
 * Group commit: all units queued in one turn of the event loop go to disk in one transaction, so that concurrent runs
 * share an fsync, and a run alone waits for nobody. Units run without savepoints; only when one throws does the batch
 * run again with a savepoint each, so that the offender alone is rejected.
 */
export class Writer {
  readonly #hooks: CommitHooks;
  readonly #connection: Connection;
  readonly #sql: TransactionStatements;
  #queue: Queued[] = [];
  #scheduled = false;
  /** In the last commit: how busy the time is. */
  #lastUnits = 0;
  #closed = false;

  constructor(connection: Connection, hooks: CommitHooks) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#sql = {
      begin: connection.prepare('BEGIN IMMEDIATE'),
      commit: connection.prepare('COMMIT'),
      rollback: connection.prepare('ROLLBACK'),
      savepoint: connection.prepare('SAVEPOINT unit'),
      release: connection.prepare('RELEASE unit'),
      rollbackUnit: connection.prepare('ROLLBACK TO unit'),
    };
  }

  /** Resolves with the work's value after its commit. */
  submit<T>(work: Work<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closedStore());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Unit(work, resolve, reject));
      this.#schedule();
    });
  }

  /** Writes what is queued and takes nothing more. */
  close(): void {
    this.#closed = true;
    while (this.#queue.length > 0) this.#writeBatch();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#gather(0, maxWaits));
  }

  /**
   * Commits, unless this is a busy time and the last turn brought more: then those whose answers were just sent are
   * likely to call again, and one commit for all costs less than two. A call alone never waits.
   */
  #gather(seen: number, waits: number): void {
    const { length } = this.#queue;
    if (waits > 0 && this.#lastUnits >= busyUnits && length > seen && length < maxUnits) {
      setImmediate(() => this.#gather(length, waits - 1));
      return;
    }
    this.#scheduled = false;
    this.#lastUnits = length;
    if (length > 0) this.#writeBatch();
    if (this.#queue.length > 0) this.#schedule();
  }

  #writeBatch(): void {
    const batch = this.#takeBatch();
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => runAll(batch, all));
    } catch (error) {
      if (isStorageFailure(error)) this.#failAll(batch, error);
      else this.#writeSeparately(batch);
      return;
    }
    for (const unit of batch) unit.settle();
    this.#hooks.after(effects);
  }

  #takeBatch(): Queued[] {
    if (this.#queue.length <= maxUnits) {
      const batch = this.#queue;
      this.#queue = [];
      return batch;
    }
    return this.#queue.splice(0, maxUnits);
  }

  /** The slow way, after some unit threw: finds the offender and stores the others. */
  #writeSeparately(batch: readonly Queued[]): void {
    const failures = new Map<Queued, unknown>();
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => {
        for (const unit of batch) this.#runInSavepoint(unit, all, failures);
      });
    } catch (error) {
      this.#failAll(batch, error);
      return;
    }
    for (const unit of batch) {
      if (failures.has(unit)) unit.fail(failures.get(unit));
      else unit.settle();
    }
    this.#hooks.after(effects);
  }

  #runInSavepoint(unit: Queued, all: Effects, failures: Map<Queued, unknown>): void {
    const own = new Effects();
    this.#sql.savepoint.run();
    try {
      unit.run(own);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#sql.rollbackUnit.run();
      this.#sql.release.run();
      failures.set(unit, error);
      return;
    }
    this.#sql.release.run();
    all.add(own);
  }

  #inTransaction(write: (effects: Effects) => void): Effects {
    const effects = new Effects();
    try {
      this.#sql.begin.run();
      write(effects);
      this.#hooks.before(effects);
      this.#sql.commit.run();
    } catch (error) {
      if (this.#connection.inTransaction) this.#sql.rollback.run();
      throw error;
    }
    return effects;
  }

  #failAll(batch: readonly Queued[], error: unknown): void {
    this.#hooks.failed(error);
    const reason = writeFailure(error);
    for (const unit of batch) unit.fail(reason);
  }
}

// About 20 ms of work: a longer turn would delay every request and timer of the process.
const maxUnits = 500;

/** A commit of so many units says that several callers are at work, who would share the next one too. */
const busyUnits = 4;
/** Turns of the event loop that a commit may wait while more comes in: measured, more bring nothing. */
const maxWaits = 2;

interface TransactionStatements {
  readonly begin: Statement<[]>;
  readonly commit: Statement<[]>;
  readonly rollback: Statement<[]>;
  readonly savepoint: Statement<[]>;
  readonly release: Statement<[]>;
  readonly rollbackUnit: Statement<[]>;
}

/** A unit without the type of its value. */
interface Queued {
  run(effects: Effects): void;
  settle(): void;
  fail(reason: unknown): void;
}

class Unit<T> implements Queued {
  readonly #work: Work<T>;
  readonly #resolve: (value: T) => void;
  readonly fail: (reason: unknown) => void;
  #value: T | undefined;

  constructor(work: Work<T>, resolve: (value: T) => void, reject: (reason: unknown) => void) {
    this.#work = work;
    this.#resolve = resolve;
    this.fail = reject;
  }

  run(effects: Effects): void {
    this.#value = this.#work(effects);
  }

  settle(): void {
    // Only called after a run that did not throw, so the value is a T, though it may be undefined.
    this.#resolve(this.#value as T);
  }
}

function runAll(batch: readonly Queued[], effects: Effects): void {
  for (const unit of batch) unit.run(effects);
}
