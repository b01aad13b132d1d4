import type { Connection, Statement } from './connection.ts';
import { Effects } from './effects.ts';
import { isStorageFailure, writeFailure } from './failures.ts';
import type { Queued } from './unit.ts';

/** The dependencies of a transaction. */
interface TransactionPorts {
  readonly connection: Connection;
  /** Makes the last writes of each transaction. */
  readonly before: (effects: Effects) => void;
  /** Called for each transaction of which nothing could be stored. */
  readonly failed: (error: unknown) => void;
}

/** Whether a transaction may take another unit. */
type MayTakeMore = () => boolean;

/** Units that were committed together. */
export interface Written {
  readonly units: readonly Queued[];
  /** How many units of the batch were taken, with those that failed. The others were not run. */
  readonly taken: number;
  readonly effects: Effects;
  /** False if there is nothing to sync to disk. */
  readonly hasChanges: boolean;
}

/**
 * Writes many units in one transaction. They run without savepoints; only if one throws is the batch run again with a
 * savepoint for each unit, so that only the failing unit is rejected.
 */
export class BatchTransaction {
  readonly #ports: TransactionPorts;
  readonly #sql: ReturnType<typeof statements>;
  #totalChanges = 0;

  constructor(ports: TransactionPorts) {
    this.#ports = ports;
    this.#sql = statements(ports.connection);
  }

  /**
   * Commits the units and rejects those that throw; null if nothing could be stored.
   * @param limit begins a transaction; the function that it returns is asked before each unit except the first
   */
  write(batch: readonly Queued[], limit: () => MayTakeMore): Written | null {
    let taken = 0;
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => {
        taken = runWhile(limit(), batch, (unit) => unit.run(all));
      });
    } catch (error) {
      if (!isStorageFailure(error)) return this.#writeSeparately(batch, limit);
      this.#failAll(batch, error);
      return null;
    }
    return this.#committed(batch.slice(0, taken), taken, effects);
  }

  #committed(units: readonly Queued[], taken: number, effects: Effects): Written {
    const before = this.#totalChanges;
    this.#totalChanges = this.#sql.changes.get()?.n ?? 0;
    return { units, taken, effects, hasChanges: this.#totalChanges !== before };
  }

  /** The slow path, after a unit threw: finds the failing unit and stores the others. */
  #writeSeparately(batch: readonly Queued[], limit: () => MayTakeMore): Written | null {
    const failures = new Map<Queued, unknown>();
    let taken = 0;
    let effects: Effects;
    try {
      effects = this.#inTransaction((all) => {
        taken = runWhile(limit(), batch, (unit) => this.#runInSavepoint(unit, all, failures));
      });
    } catch (error) {
      this.#failAll(batch, error);
      return null;
    }
    for (const [unit, reason] of failures) unit.fail(reason);
    const stored = batch.slice(0, taken).filter((unit) => !failures.has(unit));
    return this.#committed(stored, taken, effects);
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
      failures.set(unit, writeFailure(error));
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
      this.#ports.before(effects);
      this.#sql.commit.run();
    } catch (error) {
      if (this.#ports.connection.inTransaction) this.#sql.rollback.run();
      throw error;
    }
    return effects;
  }

  #failAll(batch: readonly Queued[], error: unknown): void {
    this.#ports.failed(error);
    const reason = writeFailure(error);
    for (const unit of batch) unit.fail(reason);
  }
}

function statements(connection: Connection) {
  const nothing = (sql: string): Statement<[]> => connection.prepare<[]>(sql);
  return {
    begin: nothing('BEGIN IMMEDIATE'),
    commit: nothing('COMMIT'),
    rollback: nothing('ROLLBACK'),
    savepoint: nothing('SAVEPOINT unit'),
    release: nothing('RELEASE unit'),
    rollbackUnit: nothing('ROLLBACK TO unit'),
    changes: connection.prepare<[], { n: number }>('SELECT total_changes() AS n'),
  };
}

/** Runs units as long as the limit allows, at least one; returns how many. */
function runWhile(mayTakeMore: MayTakeMore, batch: readonly Queued[], run: (unit: Queued) => void): number {
  let taken = 0;
  for (const unit of batch) {
    if (taken > 0 && !mayTakeMore()) break;
    run(unit);
    taken += 1;
  }
  return taken;
}
