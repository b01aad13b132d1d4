import { formatInstant, type Instant } from '@millrace/core';
import type { UncleanEnd } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { CrashCounts } from './crash-counts.ts';
import type { Incidents } from './incidents.ts';
import { positionOfBegun } from './queue-positions.ts';

/** Operations on all running runs. All three scan the index of leases, which holds running runs only. */
export interface Leases {
  renew(params: { owner: string; leaseUntil: Instant }): void;
  release(params: { owner: string }, effects: Effects): void;
  /** Returns how many runs were running. */
  recover(end: UncleanEnd | null, effects: Effects): number;
}

interface RunningRow {
  readonly id: string;
  readonly workflow_id: number;
}

/** Prepares the statements on leases. */
export function prepareLeases(
  connection: Connection,
  {
    crashCounts,
    incidents,
  }: { readonly crashCounts: Pick<CrashCounts, 'increment'>; readonly incidents: Pick<Incidents, 'record'> },
): Leases {
  const renew = connection.prepare<[string, string]>(
    `UPDATE executions INDEXED BY executions_leases SET lease_until = ? WHERE status = 'running' AND claimed_by = ?`,
  );
  const heldBy = connection.prepare<[string], RunningRow>(
    `SELECT id, workflow_id FROM executions INDEXED BY executions_leases WHERE status = 'running' AND claimed_by = ?`,
  );
  const running = connection.prepare<[], RunningRow>(
    `SELECT id, workflow_id FROM executions INDEXED BY executions_leases WHERE status = 'running'`,
  );
  // The lease is not cleared: the next claim reads from it since when the run had no owner.
  const giveBack = connection.prepare<[string]>(
    `UPDATE executions SET status = 'pending', turn = ${positionOfBegun}, claimed_by = NULL WHERE id = ?`,
  );

  function giveAllBack(runs: readonly RunningRow[], effects: Effects): void {
    for (const run of runs) {
      giveBack.run(run.id);
      effects.move(run.workflow_id, 'running', 'pending');
    }
    effects.pending ||= runs.length > 0;
  }

  return {
    renew: ({ owner, leaseUntil }) => void renew.run(formatInstant(leaseUntil), owner),
    release: ({ owner }, effects) => giveAllBack(heldBy.all(owner), effects),
    recover(end, effects) {
      const runs = running.all();
      giveAllBack(runs, effects);
      // A run that was not running any more is not the cause.
      const isKnown = end !== null && runs.some(({ id }) => id === end.executionId);
      // If one run ended the process, the others did not.
      if (!isKnown || !end.isCertain) for (const run of runs) crashCounts.increment(run.id);
      if (isKnown) incidents.record(end);
      return runs.length;
    },
  };
}
