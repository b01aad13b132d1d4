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

/** Units that were committed together. */
export interface Written {
  readonly units: readonly Queued[];
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

  /** Commits the units and rejects those that throw; null if nothing could be stored. */
  write(batch: readonly Queued[]): Written | null {
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

  #committed(units: readonly Queued[], effects: Effects): Written {
    const before = this.#totalChanges;
    this.#totalChanges = this.#sql.changes.get()?.n ?? 0;
    return { units, effects, hasChanges: this.#totalChanges !== before };
  }

  /** The slow path, after a unit threw: finds the failing unit and stores the others. */
  #writeSeparately(batch: readonly Queued[]): Written | null {
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

function runAll(batch: readonly Queued[], effects: Effects): void {
  for (const unit of batch) unit.run(effects);
}
