import { type ExecutionStatus, type Instant, isEnded, type RunFinished } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { type EndParams, endParams, setEnd } from '../queue/run-end.ts';
import type { Journal } from './journal.ts';
import { endAnswer, type WaitRows } from './wait-rows.ts';

interface RunRow {
  readonly id: string;
  readonly workflow_id: number;
  readonly status: ExecutionStatus;
  readonly last_seq: number;
}

/** Ends runs from outside. */
export interface Cancellation {
  cancel(params: { id: string; at: Instant }, effects: Effects): 'cancelled' | 'requested' | 'ended' | 'missing';
  /**
   * The consequences of a run's end: its waits end, the runs that it waited for are cancelled, and the run that waits
   * for it is answered. If it waited for many runs, the rest of them are asked to stop, and end in later transactions.
   */
  ended(id: string, end: RunFinished, effects: Effects): void;
  /** The same as `cancel`, but a running run ends at once too: its owner is asked to stop, and its appends are rejected. */
  end(params: { id: string; at: Instant }, effects: Effects): void;
}

interface CancelParts {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly waits: WaitRows;
  readonly endedAtOnce: number;
}

/** Runs that end in one transaction with the run that waits for them: it takes some 10 ms. */
export const usualEndedAtOnce = 100;

/**
 * A run without an owner ends immediately, with the fact that an owner would have written; a running one is asked to
 * stop.
 */
export function prepareCancellation({ connection, journal, waits, endedAtOnce }: CancelParts): Cancellation {
  const find = connection.prepare<[string], RunRow>(
    'SELECT id, workflow_id, status, last_seq FROM executions WHERE id = ?',
  );
  // The end was decided from the row as it was read: a row that has changed since then is not touched.
  const end = connection.prepare<[number, ...EndParams, string, number, string]>(
    `UPDATE executions SET last_seq = ?, cancel_requested = 1, ${setEnd} WHERE id = ? AND last_seq = ? AND status = ?`,
  );
  const requestStop = connection.prepare<[string]>('UPDATE executions SET cancel_requested = 1 WHERE id = ?');
  const markStopping = connection.prepare<[string], { status: ExecutionStatus }>(
    `UPDATE executions SET cancel_requested = 1 WHERE id = ? AND completed_at IS NULL RETURNING status`,
  );

  function endNow(run: RunRow, at: Instant, effects: Effects): void {
    const fact = cancelled(at);
    const { changes } = end.run(run.last_seq + 1, ...endParams(fact), run.id, run.last_seq, run.status);
    if (changes === 0) throw new Error(`Execution ${run.id} changed while it was being ended.`);
    journal.insert(run.id, run.last_seq + 1, [fact]);
    effects.move(run.workflow_id, run.status, 'cancelled');
    effects.end({ workflowId: run.workflow_id, status: 'cancelled', at });
    effects.left.push({ workflowId: run.workflow_id, id: run.id });
    effects.ended += 1;
    effects.publish(run.workflow_id, { type: 'execution_cancelled', executionId: run.id });
    ended(run.id, fact, effects);
  }

  function ended(id: string, end: RunFinished, effects: Effects): void {
    for (const child of waits.close(id)) {
      if (effects.ended < endedAtOnce) cancellation.cancel({ id: child, at: end.at }, effects);
      else stopLater({ id: child, at: end.at }, effects);
    }
    waits.answerParent(id, endAnswer(end), effects);
  }

  function request(id: string, effects: Effects): void {
    requestStop.run(id);
    effects.cancelRequested.push(id);
  }

  /** Until it ends, an owner that claims the run only ends it. */
  function stopLater({ id, at }: { id: string; at: Instant }, effects: Effects): void {
    const stopped = markStopping.get(id);
    if (stopped === undefined) return;
    if (stopped.status === 'running') effects.cancelRequested.push(id);
    else effects.stoppingSince = at;
  }

  const cancellation: Cancellation = {
    ended,
    cancel({ id, at }, effects) {
      const run = find.get(id);
      if (run === undefined) return 'missing';
      if (isEnded(run.status)) return 'ended';
      if (run.status === 'running') {
        request(id, effects);
        return 'requested';
      }
      endNow(run, at, effects);
      return 'cancelled';
    },
    end({ id, at }, effects) {
      if (cancellation.cancel({ id, at }, effects) !== 'requested') return;
      const run = find.get(id);
      if (run !== undefined && !isEnded(run.status)) endNow(run, at, effects);
    },
  };
  return cancellation;
}

function cancelled(at: Instant): RunFinished {
  const failure = { code: 'run_cancelled', message: 'The execution was cancelled.' } as const;
  return { kind: 'run_finished', at, status: 'cancelled', output: null, failure, nodeId: null };
}
