import type { Connection, Statement } from './connection.ts';
import { Effects } from './effects.ts';
import { closedStore, isStorageFailure, lostWrites, writeFailure } from './failures.ts';
import type { LogSync } from './log-sync.ts';

/** One call's writes: runs inside the transaction, perhaps twice, so it must keep nothing outside `effects`. */
export type Work<T> = (effects: Effects) => T;

/** What happens around each transaction. */
export interface CommitHooks {
  /** The last writes of the transaction. */
  readonly before: (effects: Effects) => void;
  /** The transaction is what every read now sees: for what is remembered of the tables. */
  readonly committed: (effects: Effects) => void;
  /** The transaction is on disk: for what others are told. */
  readonly durable: (effects: Effects) => void;
  /** Nothing of the transaction was stored; or, after a failed sync, nothing will be stored any more. */
  readonly failed: (error: unknown) => void;
}

/** What the writer writes to. */
export interface WriterPorts {
  readonly connection: Connection;
  readonly sync: LogSync;
  readonly hooks: CommitHooks;
}

/**
 * Group commit. All units that have come go into one transaction; its pages are written, and the sync that brings them
 * to disk runs on another thread. What comes meanwhile is the next transaction, written when the sync has ended. So
 * concurrent calls share an fsync, the event loop waits for none, and a call alone waits for nobody. Nothing is answered
 * or told before its sync has ended.
 *
 * Units run without savepoints; only when one throws does the batch run again with a savepoint each, so that the
 * offender alone is rejected.
 */
export class Writer {
  readonly #hooks: CommitHooks;
  readonly #connection: Connection;
  readonly #sync: LogSync;
  readonly #sql: TransactionStatements;
  #queue: Queued[] = [];
  #isSyncing = false;
  #scheduled = false;
  #totalChanges = 0;
  /** In the last commit: how busy the time is. */
  #lastUnits = 0;
  #closed = false;
  #broken = false;
  #whenIdle: (() => void)[] = [];

  constructor({ connection, sync, hooks }: WriterPorts) {
    this.#hooks = hooks;
    this.#connection = connection;
    this.#sync = sync;
    this.#sql = {
      begin: connection.prepare('BEGIN IMMEDIATE'),
      commit: connection.prepare('COMMIT'),
      rollback: connection.prepare('ROLLBACK'),
      savepoint: connection.prepare('SAVEPOINT unit'),
      release: connection.prepare('RELEASE unit'),
      rollbackUnit: connection.prepare('ROLLBACK TO unit'),
      changes: connection.prepare('SELECT total_changes() AS n'),
    };
  }

  /** Resolves with the work's value when it is on disk. */
  submit<T>(work: Work<T>): Promise<T> {
    return this.#enqueue(work, true);
  }

  /**
   * Resolves as soon as the work is committed: for what a power cut may undo, because whatever follows from it is
   * written later, and so comes to disk later.
   */
  submitAhead<T>(work: Work<T>): Promise<T> {
    return this.#enqueue(work, false);
  }

  #enqueue<T>(work: Work<T>, waitsForDisk: boolean): Promise<T> {
    if (this.#closed) return Promise.reject(closedStore());
    if (this.#broken) return Promise.reject(lostWrites());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Unit({ work, waitsForDisk, resolve, reject }));
      this.#schedule();
    });
  }

  /** Writes what is queued and takes nothing more; resolves when all of it is on disk. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && !this.#isSyncing;
  }

  #schedule(): void {
    // The end of the sync under way takes what is queued.
    if (this.#scheduled || this.#isSyncing) return;
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
    const batch = this.#writeBatch();
    if (batch?.needsSync) this.#bringToDisk(batch);
    else this.#settle(batch);
  }

  #bringToDisk(batch: Batch): void {
    this.#isSyncing = true;
    this.#sync.start((error) => {
      this.#isSyncing = false;
      if (error === null) this.#settle(batch);
      else this.#break(batch, error);
    });
  }

  /** Answers and tells what a commit has brought to disk, if it brought anything. */
  #settle(batch: Batch | null): void {
    if (batch !== null) {
      for (const unit of batch.units) unit.settle();
      this.#hooks.durable(batch.effects);
    }
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#isIdle) this.#rest();
  }

  /**
   * After a failed sync nobody can say what is on disk: the system may have dropped pages that SQLite believes written,
   * and a second sync would not see it. So nothing is written any more; a restart reads what there is.
   */
  #break({ units }: Batch, error: Error): void {
    this.#broken = true;
    this.#hooks.failed(error);
    for (const unit of [...units, ...this.#queue]) unit.fail(lostWrites());
    this.#queue = [];
    this.#rest();
  }

  /** Tells those who wait for the end of all writing. */
  #rest(): void {
    for (const tell of this.#whenIdle.splice(0)) tell();
  }

  /** Commits what is queued; null when nothing of it could be stored. */
  #writeBatch(): Batch | null {
    const batch = this.#takeBatch();
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => runAll(batch, all));
    } catch (error) {
      if (!isStorageFailure(error)) return this.#writeSeparately(batch);
      this.#failAll(batch, error);
      return null;
    }
    return this.#committed(batch, effects);
  }

  /** A batch that every read now sees. It needs a sync, if it wrote anything. */
  #committed(units: readonly Queued[], effects: Effects): Batch {
    this.#hooks.committed(effects);
    const before = this.#totalChanges;
    this.#totalChanges = this.#sql.changes.get()?.n ?? 0;
    for (const unit of units) if (!unit.waitsForDisk) unit.settle();
    return { units, effects, needsSync: this.#totalChanges !== before };
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
  #writeSeparately(batch: readonly Queued[]): Batch | null {
    const failures = new Map<Queued, unknown>();
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => {
        for (const unit of batch) this.#runInSavepoint(unit, all, failures);
      });
    } catch (error) {
      this.#failAll(batch, error);
      return null;
    }
    for (const [unit, reason] of failures) unit.fail(reason);
    const stored = batch.filter((unit) => !failures.has(unit));
    return this.#committed(stored, effects);
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

/** Units that were committed together. */
interface Batch {
  readonly units: readonly Queued[];
  readonly effects: Effects;
  readonly needsSync: boolean;
}

interface TransactionStatements {
  readonly begin: Statement<[]>;
  readonly commit: Statement<[]>;
  readonly rollback: Statement<[]>;
  readonly savepoint: Statement<[]>;
  readonly release: Statement<[]>;
  readonly rollbackUnit: Statement<[]>;
  readonly changes: Statement<[], { n: number }>;
}

/** A unit without the type of its value. */
interface Queued {
  readonly waitsForDisk: boolean;
  run(effects: Effects): void;
  /** Does nothing the second time. */
  settle(): void;
  fail(reason: unknown): void;
}

interface UnitParts<T> {
  readonly work: Work<T>;
  readonly waitsForDisk: boolean;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

class Unit<T> implements Queued {
  readonly #work: Work<T>;
  readonly #resolve: (value: T) => void;
  readonly waitsForDisk: boolean;
  readonly fail: (reason: unknown) => void;
  #value: T | undefined;

  constructor({ work, waitsForDisk, resolve, reject }: UnitParts<T>) {
    this.#work = work;
    this.#resolve = resolve;
    this.waitsForDisk = waitsForDisk;
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
