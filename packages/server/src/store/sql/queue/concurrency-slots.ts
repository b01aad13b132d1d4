import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/**
 * A pending run with the limits that may prevent it from being claimed. `gate` is the key of the concurrency slots of
 * which it needs one.
 */
export interface SlotRow {
  readonly id: string;
  readonly workflow_id: number;
  readonly gate: string | null;
  /** The workflow's limit, as it is now. */
  readonly concurrency: number | null;
  /** 1 for a run of a schedule whose runs must not overlap. */
  readonly in_turn: Bit;
  readonly schedule_id: number | null;
  readonly started_at: string | null;
}

/**
 * Limits on how many runs are running at once. Each running row occupies a slot; a claim counts the running rows with
 * the same key, using an index. A pending run that finds no free slot is blocked: it leaves the queue, so that no claim
 * looks at it again until a run frees a slot. Runs that wait or are interrupted hold no slot.
 */
export interface ConcurrencySlots {
  /** For one claim: decides for each run, in order, whether it gets a slot, and blocks those that do not. */
  allocator(effects: Effects): (run: SlotRow) => boolean;
  /** Called at the end of a transaction: unblocks one run for each freed slot. */
  settle(effects: Effects): void;
  /** Applies a changed limit of a workflow, including to its open runs. */
  followLimit(workflowId: number, effects: Effects): void;
  /** Drops what is cached about a workflow that was deleted permanently. */
  forget(workflowId: number): void;
}

/** The concurrency limits of workflows, on this connection. */
export function prepareConcurrencySlots(connection: Connection): ConcurrencySlots {
  const sql = statements(connection);
  // Workflows that may have blocked runs. An outdated entry costs one query.
  const withBlocked = new Set(sql.withBlocked.all().map((row) => row.workflow_id));

  function block(run: SlotRow, on: string): false {
    sql.block.run(on, run.id);
    withBlocked.add(run.workflow_id);
    return false;
  }

  function unblock(slot: string, effects: Effects): void {
    effects.pending = sql.unblock.run(slot).changes > 0 || effects.pending;
  }

  return {
    allocator(effects) {
      // The running runs by slot key, including those that this claim has accepted: rows are updated after all
      // candidates are examined.
      const running = new Map<string, number>();
      const begun = new Set<number>();
      const mustWait = ({ schedule_id: id, in_turn: inTurn, started_at: startedAt }: SlotRow) =>
        inTurn === 1 &&
        id !== null &&
        startedAt === null &&
        (begun.has(id) || sql.startedOfSchedule.get(id) !== undefined);
      return (run) => {
        const { gate: slot, concurrency } = run;
        if (mustWait(run)) {
          // If the run was unblocked for a free slot that it cannot use now, the slot must go to another run.
          if (slot !== null) unblock(slot, effects);
          return block(run, scheduleKeyOf(run.schedule_id));
        }
        if (slot !== null && concurrency !== null) {
          const count = running.get(slot) ?? sql.running.get(slot)?.n ?? 0;
          if (count >= concurrency) return block(run, slot);
          running.set(slot, count + 1);
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
        if (run.gate !== null) unblock(run.gate, effects);
        if (run.schedule_id !== null && run.completed_at !== null) unblock(scheduleKeyOf(run.schedule_id), effects);
      }
    },
    forget: (workflowId) => void withBlocked.delete(workflowId),
    followLimit(workflowId, effects) {
      for (const statement of sql.assignSlots) statement.run(workflowId);
      sql.assignParkedSlots.run(workflowId, workflowId);
      effects.pending = sql.unblockAll.run(workflowId).changes > 0 || effects.pending;
    },
  };
}

/** The key on which a run is blocked while an earlier run of the same schedule is open. */
function scheduleKeyOf(scheduleId: number | null): string {
  return `schedule:${scheduleId}`;
}

/**
 * The SQL expression for the `gate` of a new run: the slots that it shares with all runs of its workflow, or with those
 * of the same concurrency key.
 */
export const slotOf = `CASE WHEN concurrency IS NULL THEN NULL ELSE id || coalesce(':' || ?, '') END`;

/** The `gate` of a run that was accepted before its workflow had a limit: its concurrency key was never evaluated. */
const lateSlot = 'CAST(workflow_id AS TEXT)';

/** The SQL expression for the `gate` of a run that continues, on its row in `executions`. */
export const slotFromNowOn = `coalesce(gate,
  (SELECT ${lateSlot} FROM workflows WHERE workflows.id = workflow_id AND concurrency IS NOT NULL))`;

function statements(connection: Connection) {
  const assignSlot = (index: string, status: string) =>
    connection.prepare<[number]>(
      `UPDATE executions INDEXED BY ${index} SET gate = ${lateSlot}
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
    // A run that waits has begun, and so has one that continues after it.
    startedOfSchedule: connection.prepare<[number]>(
      `SELECT 1 FROM executions INDEXED BY executions_open_of_schedule
       WHERE schedule_id = ? AND completed_at IS NULL AND started_at IS NOT NULL LIMIT 1`,
    ),
    find: connection.prepare<
      [string],
      { gate: string | null; schedule_id: number | null; completed_at: string | null }
    >('SELECT gate, schedule_id, completed_at FROM executions WHERE id = ?'),
    block: connection.prepare<[string, string]>('UPDATE executions SET blocked_on = ? WHERE id = ?'),
    unblock: connection.prepare<[string]>(
      `UPDATE executions SET blocked_on = NULL WHERE id = (
         SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND blocked_on = ?
         ORDER BY priority DESC, turn, id LIMIT 1)`,
    ),
    unblockAll: connection.prepare<[number]>(
      `UPDATE executions INDEXED BY executions_pending SET blocked_on = NULL
       WHERE status = 'pending' AND blocked_on IS NOT NULL AND workflow_id = ?`,
    ),
    assignSlots: [assignSlot('executions_pending', 'pending'), assignSlot('executions_leases', 'running')],
    assignParkedSlots: connection.prepare<[number, number]>(
      `UPDATE executions INDEXED BY executions_parked SET gate = ${lateSlot}
       WHERE (status = 'waiting' OR status = 'interrupted') AND gate IS NULL
         AND owner_id = (SELECT owner_id FROM workflows WHERE id = ?) AND workflow_id = ?`,
    ),
  };
}
