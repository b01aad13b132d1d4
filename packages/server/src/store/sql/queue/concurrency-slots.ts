import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** A pending run with what may keep it from being claimed. */
export interface GatedRow {
  readonly id: string;
  readonly workflow_id: number;
  readonly gate: string | null;
  /** The workflow's limit, as it is now. */
  readonly concurrency: number | null;
  readonly in_turn: Bit;
  readonly schedule_id: number | null;
  readonly started_at: string | null;
}

/**
 * Limits on how many runs are running at once. The permits are the running rows themselves, counted by an index that has
 * only those of limited workflows. A pending run that finds its gate full is blocked: it leaves the queue, so that nobody
 * looks at it again, until a run of that gate makes room. Runs that wait or are interrupted hold no permit.
 */
export interface Gates {
  /** For one claim: says of each run in its order whether it may be claimed, and blocks those that may not. */
  passage(effects: Effects): (run: GatedRow) => boolean;
  /** Lets through, as a transaction's last deed, as many blocked runs as it has made room for. */
  settle(effects: Effects): void;
  /** Takes over that a workflow has another limit, also for the runs that are open. */
  followLimit(workflowId: number, effects: Effects): void;
  /** A workflow is gone for good. */
  forget(workflowId: number): void;
}

/** Prepares the statements on gates. */
export function prepareGates(connection: Connection): Gates {
  const sql = statements(connection);
  // May have more than there are: nothing but time is lost by it.
  const withBlocked = new Set(sql.withBlocked.all().map((row) => row.workflow_id));

  function block(run: GatedRow, on: string): false {
    sql.block.run(on, run.id);
    withBlocked.add(run.workflow_id);
    return false;
  }

  function letThrough(gate: string, effects: Effects): void {
    effects.pending = sql.letThrough.run(gate).changes > 0 || effects.pending;
  }

  return {
    passage(effects) {
      // Of this claim: their rows say so only when all have been looked at.
      const running = new Map<string, number>();
      const begun = new Set<number>();
      const mustWait = ({ schedule_id: id, in_turn: inTurn, started_at: startedAt }: GatedRow) =>
        inTurn === 1 &&
        id !== null &&
        startedAt === null &&
        (begun.has(id) || sql.startedOfSchedule.get(id) !== undefined);
      return (run) => {
        const { gate, concurrency } = run;
        if (mustWait(run)) {
          // It may have been let through its gate a moment ago: then another may use that.
          if (gate !== null) letThrough(gate, effects);
          return block(run, laneOf(run.schedule_id));
        }
        if (gate !== null && concurrency !== null) {
          const count = running.get(gate) ?? sql.running.get(gate)?.n ?? 0;
          if (count >= concurrency) return block(run, gate);
          running.set(gate, count + 1);
        }
        if (run.schedule_id !== null) begun.add(run.schedule_id);
        return true;
      };
    },
    settle(effects) {
      for (const { workflowId, id } of effects.left) {
        if (!withBlocked.has(workflowId)) continue;
        const run = sql.find.get(id);
        if (run === undefined) continue;
        if (run.gate !== null) letThrough(run.gate, effects);
        if (run.schedule_id !== null && run.completed_at !== null) letThrough(laneOf(run.schedule_id), effects);
      }
    },
    forget: (workflowId) => void withBlocked.delete(workflowId),
    followLimit(workflowId, effects) {
      for (const statement of sql.giveGates) statement.run(workflowId);
      sql.giveParkedGates.run(workflowId, workflowId);
      effects.pending = sql.letAllThrough.run(workflowId).changes > 0 || effects.pending;
    },
  };
}

function laneOf(scheduleId: number | null): string {
  return `schedule:${scheduleId}`;
}

/** The gate of a workflow's runs that share its limit, in SQL: all of them, or those with the same key. */
export const gateOf = `CASE WHEN concurrency IS NULL THEN NULL ELSE id || coalesce(':' || ?, '') END`;

/** The same for a run that was accepted before its workflow had a limit: its key was never worked out. */
const lateGate = 'CAST(workflow_id AS TEXT)';

/** The gate of such a run as it goes on, in SQL: the row is that of an execution. */
export const gateFromNowOn = `coalesce(gate,
  (SELECT ${lateGate} FROM workflows WHERE workflows.id = workflow_id AND concurrency IS NOT NULL))`;

function statements(connection: Connection) {
  const giveGate = (index: string, status: string) =>
    connection.prepare<[number]>(
      `UPDATE executions INDEXED BY ${index} SET gate = ${lateGate}
       WHERE status = '${status}' AND workflow_id = ? AND gate IS NULL`,
    );
  return {
    withBlocked: connection.prepare<[], { workflow_id: number }>(
      `SELECT DISTINCT workflow_id FROM executions INDEXED BY executions_pending
       WHERE status = 'pending' AND blocked_on IS NOT NULL`,
    ),
    running: connection.prepare<[string], { n: number }>(
      `SELECT count(*) AS n FROM executions INDEXED BY executions_gates WHERE gate = ? AND status = 'running'`,
    ),
    // A run that waits has begun, and so has one that goes on after that.
    startedOfSchedule: connection.prepare<[number]>(
      `SELECT 1 FROM executions INDEXED BY executions_open_of_schedule
       WHERE schedule_id = ? AND completed_at IS NULL AND started_at IS NOT NULL LIMIT 1`,
    ),
    find: connection.prepare<
      [string],
      { gate: string | null; schedule_id: number | null; completed_at: string | null }
    >('SELECT gate, schedule_id, completed_at FROM executions WHERE id = ?'),
    block: connection.prepare<[string, string]>('UPDATE executions SET blocked_on = ? WHERE id = ?'),
    letThrough: connection.prepare<[string]>(
      `UPDATE executions SET blocked_on = NULL WHERE id = (
         SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND blocked_on = ?
         ORDER BY priority DESC, turn, id LIMIT 1)`,
    ),
    letAllThrough: connection.prepare<[number]>(
      `UPDATE executions INDEXED BY executions_pending SET blocked_on = NULL
       WHERE status = 'pending' AND blocked_on IS NOT NULL AND workflow_id = ?`,
    ),
    giveGates: [giveGate('executions_pending', 'pending'), giveGate('executions_leases', 'running')],
    giveParkedGates: connection.prepare<[number, number]>(
      `UPDATE executions INDEXED BY executions_parked SET gate = ${lateGate}
       WHERE (status = 'waiting' OR status = 'interrupted') AND gate IS NULL
         AND owner_id = (SELECT owner_id FROM workflows WHERE id = ?) AND workflow_id = ?`,
    ),
  };
}
