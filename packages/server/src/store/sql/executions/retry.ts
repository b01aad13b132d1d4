import { type ChildPaused, type ExecutionStatus, type Instant, isEnded } from '@millrace/core';
import type { ExecutionStore, RetriedRun } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { slotFromNowOn } from '../queue/concurrency-slots.ts';
import type { Journal } from './journal.ts';
import { endAnswer, type WaitRows } from './wait-rows.ts';

type Retry = Parameters<ExecutionStore['retry']>[0];
type Outcome = Awaited<ReturnType<ExecutionStore['retry']>>;

interface RetryParts {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly waits: Pick<WaitRows, 'pause' | 'answer'>;
}

interface RunRow {
  readonly workflow_id: number;
  readonly status: ExecutionStatus;
  readonly last_seq: number;
  readonly cancel_requested: number;
}

/**
 * Continues ended runs: their ends are removed from the rows, and the journals record the retry. Their time limit
 * restarts.
 */
export function prepareRetry({ connection, journal, waits }: RetryParts): (params: Retry, effects: Effects) => Outcome {
  const find = connection.prepare<[string], RunRow>(
    'SELECT workflow_id, status, last_seq, cancel_requested FROM executions WHERE id = ?',
  );
  // A run that was cancelled while it waited for a slot waits for one again. A limit that was set meanwhile applies.
  const reopen = connection.prepare<[number, string], { workflow_id: number; trigger_node_id: string }>(
    `UPDATE executions
     SET status = 'pending', last_seq = ?, first_started_at = coalesce(first_started_at, started_at), started_at = NULL,
       completed_at = NULL, lease_until = NULL, unowned_ms = 0,
       error_code = NULL, error_message = NULL, error_node_id = NULL, cancel_requested = 0, blocked_on = NULL,
       incident = NULL,
       gate = ${slotFromNowOn}
     WHERE id = ?
     RETURNING workflow_id, trigger_node_id`,
  );

  const storeVersion = connection.prepare<[number, string, string]>(
    `INSERT INTO workflow_versions (workflow_id, version, graph)
     SELECT workflow_id, ?, ? FROM executions WHERE id = ? ON CONFLICT DO NOTHING`,
  );
  const pin = connection.prepare<[number, string]>('UPDATE executions SET version = ? WHERE id = ?');

  function isAsThought({ id, status, afterSeq }: RetriedRun): boolean {
    const row = find.get(id);
    return row?.status === status && row.last_seq === afterSeq;
  }

  /** Why a step cannot wait again for a run that is not retried with it; null if it can. */
  function hindrance({ pause }: ChildPaused): 'changed' | 'stopping' | null {
    const row = find.get(pause.executionId);
    if (row === undefined || row.status === 'failed' || row.status === 'cancelled') return 'changed';
    return row.cancel_requested === 1 && !isEnded(row.status) ? 'stopping' : null;
  }

  function goOn(
    { id, status, afterSeq, revoked, paused, pin: other }: RetriedRun,
    at: Instant,
    effects: Effects,
  ): void {
    if (other !== undefined) {
      storeVersion.run(other.version, JSON.stringify(other.graph), id);
      pin.run(other.version, id);
    }
    const row = reopen.get(afterSeq + 1 + paused.length, id);
    if (row === undefined) return;
    journal.insert(id, afterSeq + 1, [{ kind: 'run_retried', at, revoked }, ...paused]);
    effects.move(row.workflow_id, status, 'pending');
    effects.publish(row.workflow_id, {
      type: 'execution_started',
      executionId: id,
      triggerNodeId: row.trigger_node_id,
    });
    for (const fact of paused) wait(id, fact, effects);
  }

  function wait(id: string, fact: ChildPaused, effects: Effects): void {
    waits.pause(id, fact, effects);
    const child = fact.pause.executionId;
    if (find.get(child)?.status !== 'completed') return;
    const end = journal.last(child)?.fact;
    if (end?.kind !== 'run_finished') return;
    const { frame, nodeId, stage } = fact;
    waits.answer({ executionId: id, frame, nodeId, stage, answer: endAnswer(end) }, effects);
  }

  return ({ runs, at }, effects) => {
    const retried = new Set(runs.map(({ id }) => id));
    if (!runs.every(isAsThought)) return 'changed';
    for (const fact of runs.flatMap(({ paused }) => paused)) {
      const hindered = retried.has(fact.pause.executionId) ? null : hindrance(fact);
      if (hindered !== null) return hindered;
    }
    for (const run of runs) goOn(run, at, effects);
    effects.pending = true;
    return 'pending';
  };
}
