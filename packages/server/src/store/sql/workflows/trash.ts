import { type ExecutionStatus, formatInstant, type Instant, instantAfter, parseInstant } from '@millrace/core';
import type { TrashedWorkflow, TrashStore } from '../../workflows.ts';
import { expectRow, storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import type { Cancellation } from '../executions/cancel.ts';
import { prepareEdgeIndex } from './edge-index.ts';
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
  readonly cancellation: Pick<Cancellation, 'endAllOf'>;
}

/** The SQLite store of the trash. */
export function trashStore({ connection, writer, schedules, cancellation }: TrashParts): TrashStore {
  const sql = statements(connection);
  const restore = prepareRestore(connection, schedules);
  const purge = preparePurge(connection, cancellation);
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
    restore: (params) => writer.submit((effects) => restore(params, effects)),
    purge: (params) => writer.submit((effects) => purge(params, effects)),
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

/**
 * Deletes a workflow permanently. Its runs are deleted first, with their journals and triggers, in batches small enough
 * not to delay other calls.
 */
function preparePurge(connection: Connection, { endAllOf }: Pick<Cancellation, 'endAllOf'>) {
  const find = connection.prepare<[number], { newest_version_id: number; published_version_id: number | null }>(
    'SELECT newest_version_id, published_version_id FROM workflows WHERE id = ? AND deleted_at IS NOT NULL',
  );
  const removeRuns = connection.prepare<[number, number], { status: ExecutionStatus }>(
    `DELETE FROM executions WHERE id IN (
       SELECT id FROM executions WHERE workflow_id = ? AND completed_at IS NOT NULL LIMIT ?) RETURNING status`,
  );
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
    const removed = removeRuns.all(id, runs);
    for (const { status } of removed) effects.move(id, status, null);
    // No ended run is left. Open ones end now, with all consequences, and the next call deletes them.
    if (removed.length === 0) endAllOf({ workflowId: id, at }, effects);
    // The counts of runs are stored at the end of the transaction, and need the workflow's row until then.
    if (effects.counts.has(id)) return 'more';
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
