import type { Problem } from '@millrace/core';
import { BatchTransaction, type Written } from './batch-transaction.ts';
import type { Connection } from './connection.ts';
import type { Effects } from './effects.ts';
import { closedStore, lostWrites } from './failures.ts';
import { type Checkpoints, noCheckpoints } from './log/checkpoints.ts';
import { maxTransactionMs } from './log/log-limits.ts';
import type { LogSync } from './log/log-sync.ts';
import { type Queued, Unit, type Work } from './unit.ts';

/** Called around each transaction. */
export interface CommitHooks {
  /** The last writes of the transaction. */
  readonly before: (effects: Effects) => void;
  /** Reads now see the transaction: updates the caches of the tables. */
  readonly committed: (effects: Effects) => void;
  /** The transaction is on disk: notifies the subscribers. */
  readonly durable: (effects: Effects) => void;
  /** Nothing of the transaction was stored; or, after a failed sync, nothing more will be stored. */
  readonly failed: (error: unknown) => void;
}

/** The dependencies of the writer. */
export interface WriterPorts {
  readonly connection: Connection;
  readonly sync: LogSync;
  readonly checkpoints?: Checkpoints;
  readonly hooks: CommitHooks;
  readonly guard?: WriteGuard;
  /** In milliseconds. Without it, a transaction takes all calls that are queued. */
  readonly monotonic?: () => number;
}

/** Decides whether the writer may continue; null as long as it may. */
export interface WriteGuard {
  /** The known reason why nothing may be written. */
  readonly problem: Problem | null;
  /** The reason why what was just written must not be acknowledged. */
  check(): Problem | null;
}

const noGuard: WriteGuard = { problem: null, check: () => null };

/**
 * Group commit. All queued units go into one transaction; its pages are written, and the sync that brings them to disk
 * runs on another thread. Units that arrive meanwhile form the next transaction, written when the sync has ended. So
 * concurrent calls share an fsync, the event loop waits for none, and a single call has no delay. Nothing is resolved
 * or published before its sync has ended.
 */
export class Writer {
  readonly #hooks: CommitHooks;
  readonly #sync: LogSync;
  readonly #checkpoints: Checkpoints;
  readonly #transaction: BatchTransaction;
  #queue: Queued[] = [];
  #isSyncing = false;
  #scheduled = false;
  /** The number of units in the last commit, as a measure of the load. */
  #lastUnits = 0;
  #closed = false;
  #broken: Problem | null = null;
  #whenIdle: (() => void)[] = [];

  readonly #guard: WriteGuard;
  readonly #monotonic: () => number;

  constructor(ports: WriterPorts) {
    const { connection, sync, checkpoints = noCheckpoints, hooks, guard = noGuard, monotonic = () => 0 } = ports;
    this.#guard = guard;
    this.#monotonic = monotonic;
    this.#hooks = hooks;
    this.#sync = sync;
    this.#checkpoints = checkpoints;
    this.#transaction = new BatchTransaction({ connection, before: hooks.before, failed: hooks.failed });
  }

  /** The reason why every call is rejected; null while the writer works. */
  get broken(): Problem | null {
    return this.#broken ?? this.#guard.problem;
  }

  /** Resolves with the result of the work when it is on disk. */
  submit<T>(work: Work<T>): Promise<T> {
    return this.#enqueue(work, true);
  }

  /**
   * Resolves as soon as the work is committed, before it is on disk. For work that a power failure may undo: everything
   * that follows from it is written later, so the disk never holds a consequence without its cause.
   */
  submitAhead<T>(work: Work<T>): Promise<T> {
    return this.#enqueue(work, false);
  }

  #enqueue<T>(work: Work<T>, waitsForDisk: boolean): Promise<T> {
    if (this.#closed) return Promise.reject(closedStore());
    const { broken } = this;
    if (broken !== null) return Promise.reject(broken);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Unit({ work, waitsForDisk, resolve, reject }));
      this.#schedule();
    });
  }

  /** Writes what is queued and accepts nothing more; resolves when all of it is on disk. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && !this.#isSyncing;
  }

  #schedule(): void {
    // The end of the current sync starts the next commit.
    if (this.#scheduled || this.#isSyncing) return;
    this.#scheduled = true;
    setImmediate(() => this.#gather(0, maxWaits));
  }

  /**
   * Commits, unless the load is high and the last turn of the event loop added more: then the callers whose calls were
   * just resolved are likely to call again, and one commit for all costs less than two. A single call never waits.
   */
  #gather(seen: number, waits: number): void {
    const { length } = this.#queue;
    if (waits > 0 && this.#lastUnits >= busyUnits && length > seen && length < maxUnits) {
      setImmediate(() => this.#gather(length, waits - 1));
      return;
    }
    const { pause, blocked } = this.#checkpoints;
    if (pause !== null) {
      void pause.then(() => this.#gather(length, 0));
      return;
    }
    this.#scheduled = false;
    this.#lastUnits = length;
    const { problem } = this.#guard;
    if (problem !== null) {
      this.#end([], problem);
      return;
    }
    if (blocked !== null) {
      this.#rejectQueued(blocked);
      return;
    }
    const batch = this.#writeBatch();
    if (batch?.hasChanges) this.#bringToDisk(batch);
    else this.#settle(batch);
  }

  /** Rejects what is queued, and continues to accept calls. */
  #rejectQueued(reason: Problem): void {
    this.#hooks.failed(reason);
    for (const unit of this.#queue.splice(0)) unit.fail(reason);
    this.#rest();
  }

  #bringToDisk(batch: Written): void {
    this.#isSyncing = true;
    this.#sync.start((error) => {
      this.#isSyncing = false;
      if (error === null) this.#settle(batch);
      else this.#break(batch, error);
    });
  }

  /** Resolves the calls and publishes the effects of a commit that is on disk, if anything was stored. */
  #settle(batch: Written | null): void {
    const problem = batch === null ? null : this.#guard.check();
    if (batch !== null && problem !== null) {
      this.#end(batch.units, problem);
      return;
    }
    if (batch !== null) {
      for (const unit of batch.units) unit.settle();
      this.#hooks.durable(batch.effects);
    }
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#isIdle) this.#rest();
  }

  /**
   * After a failed sync it is unknown what is on disk: the system may have dropped pages that SQLite considers written,
   * and a second sync would not detect it. So nothing more is written; a restart reads what is there.
   */
  #break({ units }: Written, error: Error): void {
    this.#hooks.failed(error);
    this.#end(units, lostWrites());
  }

  /** Rejects these units and every other one, now and later. */
  #end(units: readonly Queued[], reason: Problem): void {
    this.#broken = reason;
    for (const unit of [...units, ...this.#queue]) unit.fail(reason);
    this.#queue = [];
    this.#rest();
  }

  /** Resolves the callers that wait for the end of all writing. */
  #rest(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Commits what is queued; null if nothing could be stored. */
  #writeBatch(): Written | null {
    const batch = this.#takeBatch();
    const began = this.#monotonic();
    const written = this.#transaction.write(batch, () => {
      const end = this.#monotonic() + maxTransactionMs;
      return () => this.#monotonic() < end;
    });
    if (written === null) return null;
    if (written.taken < batch.length) this.#queue = [...batch.slice(written.taken), ...this.#queue];
    this.#hooks.committed(written.effects);
    this.#checkpoints.committed(this.#monotonic() - began > longCommitMs);
    for (const unit of written.units) if (!unit.waitsForDisk) unit.settle();
    return written;
  }

  #takeBatch(): Queued[] {
    if (this.#queue.length <= maxUnits) {
      const batch = this.#queue;
      this.#queue = [];
      return batch;
    }
    return this.#queue.splice(0, maxUnits);
  }
}

// About 20 ms of work: a longer turn would delay every request and timer of the process.
const maxUnits = 500;

/** Milliseconds: a shorter commit writes no more than a few megabytes. */
const longCommitMs = 4;

/** A commit of this many units means that several callers are active, who could share the next one. */
const busyUnits = 4;
/** Turns of the event loop that a commit may wait while more calls arrive: measurements show no gain from more. */
const maxWaits = 2;
