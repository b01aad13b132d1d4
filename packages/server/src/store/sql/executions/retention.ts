import { type ExecutionStatus, formatInstant, parseInstant } from '@millrace/core';
import type { Pruned, Pruning, RetentionStore } from '../../retention.ts';
import { type Bit, isMoment } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import { preparePruneVariables } from '../variables/unread-versions.ts';
import { prepareDeletionBudget } from './deletion-budget.ts';

interface RetentionParts {
  readonly connection: Connection;
  readonly writer: Writer;
  /** The stored version known for each workflow. */
  readonly pinned: Map<number, number>;
}

/** The SQLite store of retention. */
export function retentionStore({ connection, writer, pinned }: RetentionParts): RetentionStore {
  // The counts of a workflow; an owner's counts are in rows of workflow 0.
  const ended = connection.prepare<[], { workflowId: number; ended: number }>(
    `SELECT workflow_id AS workflowId, sum(n) AS ended FROM execution_counts
     WHERE workflow_id <> 0 AND status IN ('completed', 'failed', 'cancelled') GROUP BY workflow_id HAVING sum(n) > 0`,
  );
  const prune = preparePrune(connection);
  const pruneVersions = preparePruneVersions(connection, pinned);
  const pruneVariables = preparePruneVariables(connection);
  return {
    endedRuns: () => connection.read(() => ended.all()),
    prune: (params) => writer.submit((effects) => prune(params, effects)),
    pruneVersions: (params) => writer.submit((effects) => pruneVersions(params, effects)),
    pruneVariables: (params) => writer.submit(() => pruneVariables(params).nextId),
    compact: ({ pages }) => writer.submit(() => connection.giveBack(pages)),
  };
}

interface RunRow {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly accepted_at: string;
  readonly completed_at: string | null;
  readonly idempotency_key: string | null;
  readonly is_needed: Bit;
}

function preparePrune(connection: Connection): (params: Pruning, effects: Effects) => Pruned {
  const oldest = connection.prepare<[number, string, string, number], RunRow>(
    `SELECT id, status, accepted_at, completed_at, idempotency_key,
       parent_execution_id IS NOT NULL AND EXISTS (
         SELECT 1 FROM executions p WHERE p.id = e.parent_execution_id AND p.completed_at IS NULL) AS is_needed
     FROM executions e INDEXED BY executions_of_workflow
     WHERE workflow_id = ? AND (accepted_at, id) > (?, ?) ORDER BY accepted_at, id LIMIT ?`,
  );
  // The journal, the trigger and the waits are deleted with it: they are declared ON DELETE CASCADE.
  const remove = connection.prepare<[string]>('DELETE FROM executions WHERE id = ?');
  const newBudget = prepareDeletionBudget(connection);
  return ({ workflowId, endedBefore, excess, recentSince, keysSince, limit, after }, effects) => {
    const cutoff = endedBefore === null ? '' : formatInstant(endedBefore);
    const recent = formatInstant(recentSince);
    const keyed = formatInstant(keysSince);
    const [from, fromId] = after === null ? ['', ''] : [formatInstant(after.acceptedAt), after.id];
    const rows = oldest.all(workflowId, from, fromId, limit);
    const budget = newBudget();
    let removed = 0;
    let isCut = false;
    let last: RunRow | undefined;
    for (const run of rows) {
      if (isDue(run, { cutoff, keyed, recent: removed < excess ? recent : '' })) {
        // The next call continues with this run.
        isCut = !budget.take(run.id);
        if (isCut) break;
        remove.run(run.id);
        effects.move(workflowId, run.status, null);
        removed += 1;
      }
      last = run;
    }
    const acceptedLast = last?.accepted_at ?? '';
    // A run ends after it was accepted, so no later run is old enough.
    const isEnd =
      !isCut && (rows.length < limit || ((removed >= excess || acceptedLast >= recent) && acceptedLast >= cutoff));
    // After a time that cannot be read, pruning would start from the beginning again and again.
    if (isEnd || last === undefined || !isMoment(last.accepted_at)) return { removed, next: null };
    return { removed, next: { acceptedAt: parseInstant(last.accepted_at), id: last.id } };
  };
}

/** Times before which a run is deleted: for its age, or for the number of runs; and from which its key is valid. */
interface Cutoffs {
  readonly cutoff: string;
  readonly recent: string;
  readonly keyed: string;
}

function isDue(run: RunRow, { cutoff, recent, keyed }: Cutoffs): boolean {
  if (run.completed_at === null || run.is_needed === 1) return false;
  if (run.idempotency_key !== null && run.accepted_at >= keyed) return false;
  return run.completed_at < cutoff || run.completed_at < recent;
}

function preparePruneVersions(connection: Connection, pinned: Map<number, number>) {
  const remove = connection.prepare<[number, number, number, number, number]>(
    `DELETE FROM workflow_versions WHERE workflow_id = ? AND version IN (
       SELECT version FROM workflow_versions WHERE workflow_id = ?
       EXCEPT SELECT version FROM executions INDEXED BY executions_of_workflow WHERE workflow_id = ?
       EXCEPT SELECT published_version FROM workflows WHERE id = ?
       LIMIT ?)`,
  );
  return ({ workflowId, limit }: { workflowId: number; limit: number }, effects: Effects): boolean => {
    const { changes } = remove.run(workflowId, workflowId, workflowId, workflowId, limit);
    // At once, not with the commit: the next unit of this transaction must see it. Removing too much from the cache is
    // harmless.
    if (changes > 0) pinned.delete(workflowId);
    if (changes > 0) effects.pinned.delete(workflowId);
    return changes === limit;
  };
}
