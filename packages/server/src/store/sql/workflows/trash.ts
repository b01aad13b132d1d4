import { type ExecutionStatus, formatInstant, type Instant, instantAfter, parseInstant } from '@millrace/core';
import type { TrashedWorkflow, TrashStore } from '../../workflows.ts';
import { type Bit, expectRow, storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import type { Cancellation } from '../executions/cancel.ts';
import { prepareDeletionBudget } from '../executions/deletion-budget.ts';
import { prepareFactRows } from '../memory/fact-rows.ts';
import { prepareEdgeIndex } from './edge-index.ts';
import type { EndRunsInTrash } from './end-runs.ts';
import type { ScheduleTable } from './schedule-table.ts';
import { versionChain } from './version-row.ts';
import { toWorkflow, type WorkflowRow, workflowColumns } from './workflow-row.ts';

interface TrashedRow extends WorkflowRow {
  readonly deleted_at: string;
}

interface TrashParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly schedules: ScheduleTable;
  readonly cancellation: Pick<Cancellation, 'end'>;
  readonly endRuns: EndRunsInTrash;
}

/** The SQLite store of the trash. */
export function trashStore({ connection, writer, schedules, cancellation, endRuns }: TrashParts): TrashStore {
  const sql = statements(connection);
  const restore = prepareRestore(connection, schedules);
  const purge = preparePurge(connection, cancellation);
  const { withOpenRuns, hasOpenRuns } = prepareOpenRuns(connection);
  return {
    list: ({ ownerId, limit, offset }) =>
      connection.read(() => ({
        items: sql.list.all(ownerId, limit, offset).map(toTrashed),
        total: sql.total.get(ownerId)?.n ?? 0,
      })),
    find: ({ ownerId, id }) =>
      connection.read(() => {
        const row = sql.find.get(id, ownerId);
        return row === undefined ? null : toTrashed(row);
      }),
    async restore(params) {
      const outcome = await writer.submit((effects) => (hasOpenRuns(params.id) ? 'open' : restore(params, effects)));
      if (outcome !== 'open') return outcome;
      // Its deletion is in progress, or was interrupted. After this no run can begin before it is restored.
      await endRuns({ workflowIds: [params.id], at: params.at });
      return writer.submit((effects) => restore(params, effects));
    },
    purge: (params) => writer.submit((effects) => purge(params, effects)),
    finishRemovals: ({ at }) => endRuns({ workflowIds: withOpenRuns(), at }),
  };
}

function statements(connection: Connection) {
  return {
    list: connection.prepare<[number, number, number], TrashedRow>(
      `SELECT ${workflowColumns}, deleted_at FROM workflows WHERE owner_id = ? AND deleted_at IS NOT NULL
       ORDER BY deleted_at DESC, id DESC LIMIT ? OFFSET ?`,
    ),
    total: connection.prepare<[number], { n: number }>(
      'SELECT count(*) AS n FROM workflows WHERE owner_id = ? AND deleted_at IS NOT NULL',
    ),
    find: connection.prepare<[number, number], TrashedRow>(
      `SELECT ${workflowColumns}, deleted_at FROM workflows WHERE id = ? AND owner_id = ? AND deleted_at IS NOT NULL`,
    ),
  };
}

function toTrashed(row: TrashedRow): TrashedWorkflow {
  return { ...toWorkflow(row), deletedAt: parseInstant(row.deleted_at) };
}

/** Finds the workflows in the trash whose deletion has not ended all runs. */
function prepareOpenRuns(connection: Connection) {
  const trashed = `FROM workflows w JOIN execution_counts c ON c.owner_id = w.owner_id AND c.workflow_id = w.id
     WHERE w.deleted_at IS NOT NULL AND c.n > 0`;
  const all = connection
    .prepare<[], number>(
      `SELECT DISTINCT w.id ${trashed} AND c.status IN ('pending', 'running', 'waiting', 'interrupted')`,
    )
    .pluck();
  // A running one was asked to stop, and is left to its owner.
  const one = connection.prepare<[number], number>(
    `SELECT 1 ${trashed} AND w.id = ? AND c.status IN ('pending', 'waiting', 'interrupted')`,
  );
  return { withOpenRuns: () => all.all(), hasOpenRuns: (id: number) => one.get(id) !== undefined };
}

function prepareRestore(connection: Connection, schedules: ScheduleTable) {
  const find = connection.prepare<[number], WorkflowRow>(
    `SELECT ${workflowColumns} FROM workflows WHERE id = ? AND deleted_at IS NOT NULL`,
  );
  const withSlug = connection.prepare<[string]>('SELECT 1 FROM workflows WHERE slug = ? AND deleted_at IS NULL');
  // The owner may have another default by now; then this one is no longer the default.
  const restore = connection.prepare<[string, string, number], WorkflowRow>(
    `UPDATE workflows SET deleted_at = NULL, slug = ?, updated_at = ?,
       is_default = is_default AND NOT EXISTS (
         SELECT 1 FROM workflows o WHERE o.owner_id = workflows.owner_id AND o.is_default = 1 AND o.deleted_at IS NULL)
     WHERE id = ? RETURNING ${workflowColumns}`,
  );
  const count = connection.prepare<[number]>('UPDATE users SET workflow_count = workflow_count + 1 WHERE id = ?');
  return ({ id, slug, at }: { id: number; slug: string; at: Instant }, effects: Effects) => {
    const before = find.get(id);
    if (before === undefined) return 'missing';
    if (withSlug.get(slug) !== undefined) return 'slug_taken';
    const updatedAt = formatInstant(instantAfter(parseInstant(before.updated_at), storedInstant(at)));
    const workflow = toWorkflow(expectRow(restore.get(slug, updatedAt, id)));
    count.run(workflow.ownerId);
    schedules.followWorkflow({ workflowId: id, at }, effects);
    effects.changeWorkflow(id, null);
    effects.accessChanges.push({ kind: 'workflow', workflowId: id });
    effects.publish(id, { type: 'workflow_updated', workflow });
    return workflow;
  };
}

/**
 * Every table with a workflow id, so that a new table is not forgotten. Not executions, which are deleted before, and
 * not versions and edges, which have their own indexes.
 */
function tablesOfWorkflows(connection: Connection): readonly string[] {
  return connection
    .all<{ name: string }>(
      `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c ON c.name = 'workflow_id'
       WHERE s.type = 'table' AND s.name NOT IN ('executions', 'graph_versions', 'edges')`,
      [],
    )
    .map(({ name }) => name);
}

/** A run of a workflow to delete. */
interface RunRow {
  readonly id: string;
  readonly isEnded: Bit;
}

/**
 * Deletes some runs of a workflow with their journals and triggers, or ends some open ones, and returns how many. An
 * open run ends with all consequences before it is deleted.
 */
function prepareRemoveRuns(connection: Connection, { end }: Pick<Cancellation, 'end'>) {
  const some = connection.prepare<[number, number], RunRow>(
    `SELECT id, completed_at IS NOT NULL AS isEnded FROM executions INDEXED BY executions_of_workflow
     WHERE workflow_id = ? ORDER BY accepted_at, id LIMIT ?`,
  );
  const remove = connection.prepare<[string], { status: ExecutionStatus }>(
    'DELETE FROM executions WHERE id = ? RETURNING status',
  );
  const newBudget = prepareDeletionBudget(connection);
  return ({ id, runs, at }: Parameters<TrashStore['purge']>[0], effects: Effects): number => {
    const rows = some.all(id, runs);
    const budget = newBudget();
    for (const run of rows) {
      if (run.isEnded === 0) end({ id: run.id, at }, effects);
      else if (budget.take(run.id)) effects.move(id, expectRow(remove.get(run.id)).status, null);
      else break;
    }
    return rows.length;
  };
}

/**
 * Deletes a workflow permanently. Its runs are deleted first, in batches small enough not to delay other calls.
 */
function preparePurge(connection: Connection, cancellation: Pick<Cancellation, 'end'>) {
  const find = connection.prepare<[number], { newest_version_id: number; published_version_id: number | null }>(
    'SELECT newest_version_id, published_version_id FROM workflows WHERE id = ? AND deleted_at IS NOT NULL',
  );
  const removeRuns = prepareRemoveRuns(connection, cancellation);
  const facts = prepareFactRows(connection);
  const removeVersions = connection.prepare<[number, number, number]>(
    `${versionChain} DELETE FROM graph_versions WHERE id IN (SELECT id FROM chain)`,
  );
  // It is not in the chain if the versions after it were pruned.
  const removePublished = connection.prepare<[number | null]>('DELETE FROM graph_versions WHERE id = ?');
  const ofWorkflow = tablesOfWorkflows(connection).map((table) =>
    connection.prepare<[number]>(`DELETE FROM ${table} WHERE workflow_id = ?`),
  );
  const edgeIndex = prepareEdgeIndex(connection);
  const removeEdges = connection.prepare<[number]>('DELETE FROM edges WHERE workflow_id = ? AND is_indexed = 1');
  const endHandling = connection.prepare<[number]>(
    'UPDATE workflows SET error_handler_workflow_id = NULL WHERE error_handler_workflow_id = ? RETURNING id',
  );
  const remove = connection.prepare<[number]>('DELETE FROM workflows WHERE id = ?');
  const noLimit = -1;
  return ({ id, runs, at }: Parameters<TrashStore['purge']>[0], effects: Effects) => {
    const workflow = find.get(id);
    if (workflow === undefined) return 'missing';
    // The counts of runs are stored at the end of the transaction, and need the workflow's row until then.
    if (removeRuns({ id, runs, at }, effects) > 0) return 'more';
    if (facts.removeSome({ scope: 'workflow', workflowId: id })) return 'more';
    removeVersions.run(workflow.newest_version_id, noLimit, 0);
    removePublished.run(workflow.published_version_id);
    edgeIndex.complete();
    removeEdges.run(id);
    for (const statement of ofWorkflow) statement.run(id);
    for (const other of endHandling.all(id) as { id: number }[]) effects.changeWorkflow(other.id, null);
    remove.run(id);
    effects.purged.push(id);
    return 'purged';
  };
}
