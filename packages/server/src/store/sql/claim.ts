import { formatInstant, type Instant, parseInstant } from '@millrace/core';
import type { ClaimedRun } from '../executions.ts';
import type { Bit } from './columns.ts';
import type { Connection } from './connection.ts';
import type { Effects } from './effects.ts';
import { type TriggerRow, toTrigger } from './execution-row.ts';
import type { Journal } from './journal.ts';

interface Claim {
  readonly owner: string;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly limit: number;
}

interface CandidateRow extends TriggerRow {
  readonly id: string;
  readonly workflow_id: number;
  readonly slug: string;
  readonly max_execution_seconds: number;
  readonly parked_ms: number;
  readonly depth: number;
  readonly is_manual: Bit;
  readonly version: number;
  readonly status: 'pending' | 'running';
  readonly epoch: number;
  readonly last_seq: number;
  readonly trigger_node_id: string;
  readonly cancel_requested: Bit;
  readonly accepted_at: string;
  readonly started_at: string | null;
}

/**
 * Takes runs. The rows are read first and updated one by one, not by UPDATE … RETURNING: that could give neither the
 * trigger and the workflow beside them, nor the status they had, nor an order. One transaction, so nobody comes between.
 */
export function prepareClaim(
  connection: Connection,
  journal: Journal,
): (params: Claim, effects: Effects) => ClaimedRun[] {
  const candidates = connection.prepare<[number, string, number, number], CandidateRow>(findCandidates);
  const take = connection.prepare<[string, string, string, string]>(
    `UPDATE executions
     SET status = 'running', epoch = epoch + 1, claimed_by = ?, lease_until = ?, started_at = coalesce(started_at, ?)
     WHERE id = ?`,
  );
  return ({ owner, now, leaseUntil, limit }, effects) => {
    const at = formatInstant(now);
    const until = formatInstant(leaseUntil);
    return candidates.all(limit, at, limit, limit).map((row) => {
      take.run(owner, until, at, row.id);
      if (row.status === 'pending') effects.move(row.workflow_id, 'pending', 'running');
      return toClaimedRun(row, at, journal);
    });
  };
}

// Each inner SELECT walks one partial index of open runs, so the cost follows the limit, not the history.
const findCandidates = `
  SELECT e.id, e.workflow_id, w.slug, w.max_execution_seconds, e.version, e.status, e.epoch, e.last_seq,
    e.trigger_node_id, e.cancel_requested, e.accepted_at, e.started_at, e.parked_ms, e.depth, e.is_manual, t.payload, t.text, t.headers, t.query
  FROM (
    SELECT * FROM (SELECT id FROM executions INDEXED BY executions_pending
      WHERE status = 'pending' ORDER BY accepted_at, id LIMIT ?)
    UNION ALL
    SELECT * FROM (SELECT id FROM executions INDEXED BY executions_leases
      WHERE status = 'running' AND lease_until < ? ORDER BY lease_until LIMIT ?)
  ) AS c
  CROSS JOIN executions e ON e.id = c.id
  JOIN triggers t ON t.execution_id = e.id
  JOIN workflows w ON w.id = e.workflow_id
  ORDER BY e.accepted_at, e.id
  LIMIT ?`;

function toClaimedRun(row: CandidateRow, claimedAt: string, journal: Journal): ClaimedRun {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    workflowSlug: row.slug,
    version: row.version,
    epoch: row.epoch + 1,
    triggerNodeId: row.trigger_node_id,
    trigger: toTrigger(row),
    acceptedAt: parseInstant(row.accepted_at),
    startedAt: parseInstant(row.started_at ?? claimedAt),
    maxExecutionSeconds: row.max_execution_seconds,
    parkedMs: row.parked_ms,
    depth: row.depth,
    isManual: row.is_manual === 1,
    cancelRequested: row.cancel_requested === 1,
    journal: row.last_seq === 0 ? [] : journal.read(row.id),
  };
}
