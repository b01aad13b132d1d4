import type { Instant } from '@millrace/core';
import type { Connection } from './connection.ts';
import type { Effects } from './effects.ts';
import type { Journal } from './journal.ts';

interface Retry {
  readonly id: string;
  readonly afterSeq: number;
  readonly revoked: readonly number[];
  readonly at: Instant;
}

/** Has a failed run go on: its end leaves the row, and the journal says from when on. Its time counts anew. */
export function prepareRetry(
  connection: Connection,
  journal: Journal,
): (params: Retry, effects: Effects) => 'pending' | 'changed' {
  const reopen = connection.prepare<[string, number], { workflow_id: number; trigger_node_id: string }>(
    `UPDATE executions
     SET status = 'pending', last_seq = last_seq + 1, started_at = NULL, completed_at = NULL, parked_at = NULL, parked_ms = 0,
       error_code = NULL, error_message = NULL, cancel_requested = 0
     WHERE id = ? AND last_seq = ? AND status = 'failed'
     RETURNING workflow_id, trigger_node_id`,
  );
  return ({ id, afterSeq, revoked, at }, effects) => {
    const row = reopen.get(id, afterSeq);
    if (row === undefined) return 'changed';
    journal.insert(id, afterSeq + 1, [{ kind: 'run_retried', at, revoked }]);
    effects.move(row.workflow_id, 'failed', 'pending');
    effects.publish(row.workflow_id, {
      type: 'execution_started',
      executionId: id,
      triggerNodeId: row.trigger_node_id,
    });
    effects.pending = true;
    return 'pending';
  };
}
