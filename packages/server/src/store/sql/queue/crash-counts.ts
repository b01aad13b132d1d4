import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** The columns that count the crashes of a run: how often its process ended unexpectedly while it ran. */
export interface CrashRow {
  readonly last_seq: number;
  readonly losses: number;
  readonly lost_seq: number | null;
}

/**
 * Counts how often each run's process crashed. The count holds only while the journal ends where it did at the crash, so
 * that a run that makes progress starts again at zero without a further write.
 */
export interface CrashCounts {
  /** Counts a crash of its owner. A pending run that may be the cause goes into quarantine. */
  increment(id: string): void;
  /**
   * Lets one quarantined run be claimed, unless another one is running: until that one makes progress, or for `aloneMs`.
   * @param monotonic milliseconds on the monotonic clock
   */
  releaseOne(monotonic: number, effects: Effects): void;
  /** A run made progress: the next quarantined run may be claimed. */
  madeProgress(effects: Effects): void;
}

/**
 * Crashes in a row after which a run is quarantined. After the first crash all runs continue at once, as they should; a
 * third crash in a row is no longer likely to be chance.
 */
const quarantineAfter = 3;

/**
 * Milliseconds for which a quarantined run blocks the other quarantined runs: a run that crashes its process mostly
 * does so at once, and its steps may take long.
 */
const aloneMs = 30_000;

/** The value of `blocked_on` of a quarantined run. */
const quarantined = 'alone';

/** The value of `blocked_on` of a row, in SQL, by its crash count alone. */
export const quarantineOfRow = `CASE WHEN lost_seq = last_seq AND losses >= ${quarantineAfter} THEN '${quarantined}' END`;

/** The number of crashes of the process since the run last made progress. */
export function crashCountOf({ last_seq: lastSeq, losses, lost_seq: lostSeq }: CrashRow): number {
  return lostSeq === lastSeq ? losses : 0;
}

/** Prepares the statements on crash counts. */
export function prepareCrashCounts(connection: Connection): CrashCounts {
  const add = connection.prepare<[string]>(
    `UPDATE executions SET losses = CASE WHEN lost_seq = last_seq THEN losses + 1 ELSE 1 END, lost_seq = last_seq
     WHERE id = ?`,
  );
  const quarantine = connection.prepare<[string]>(
    `UPDATE executions SET blocked_on = '${quarantined}' WHERE id = ? AND status = 'pending' AND losses >= ${quarantineAfter}`,
  );
  const nextQuarantined = connection.prepare<[], { id: string }>(
    `SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND blocked_on = '${quarantined}'
     ORDER BY priority DESC, turn, id LIMIT 1`,
  );
  const runningAlone = connection.prepare<[]>(
    `SELECT 1 FROM executions INDEXED BY executions_leases
     WHERE status = 'running' AND lost_seq = last_seq AND losses >= ${quarantineAfter} LIMIT 1`,
  );
  const release = connection.prepare<[string]>('UPDATE executions SET blocked_on = NULL WHERE id = ?');
  // May be true after a rollback although none is quarantined: that costs one query.
  let mayHaveQuarantined = nextQuarantined.get() !== undefined;
  let releasedAt = Number.NEGATIVE_INFINITY;
  return {
    increment(id) {
      add.run(id);
      mayHaveQuarantined = quarantine.run(id).changes > 0 || mayHaveQuarantined;
    },
    releaseOne(monotonic, effects) {
      const next = nextQuarantined.get();
      mayHaveQuarantined = next !== undefined;
      if (next === undefined || (runningAlone.get() !== undefined && monotonic - releasedAt < aloneMs)) return;
      release.run(next.id);
      releasedAt = monotonic;
      effects.pending = true;
    },
    madeProgress(effects) {
      effects.pending ||= mayHaveQuarantined;
    },
  };
}
