import { formatInstant, type Instant, instantAfter, isSameJson, type Json, type Workflow } from '@millrace/core';
import type { Page } from '../../page.ts';
import type { NewWorkflow, Publishing, WorkflowChanges, WorkflowStore } from '../../workflows.ts';
import type { ReadActivity } from '../activity/workflow-activity.ts';
import { expectRow, storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import type { ConcurrencySlots } from '../queue/concurrency-slots.ts';
import type { EndRunsInTrash } from './end-runs.ts';
import { prepareSave } from './graphs.ts';
import { preparePublications } from './publications.ts';
import type { ScheduleTable } from './schedule-table.ts';
import type { VersionLog } from './version-log.ts';
import type { WorkflowCache } from './workflow-cache.ts';
import {
  type FieldParams,
  fieldColumns,
  fieldParams,
  toBudget,
  toWorkflow,
  type WorkflowRow,
  workflowColumns,
} from './workflow-row.ts';

interface WorkflowParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly workflowCache: WorkflowCache;
  readonly versions: VersionLog;
  readonly schedules: ScheduleTable;
  readonly slots: ConcurrencySlots;
  readonly endRuns: EndRunsInTrash;
  readonly activity: ReadActivity;
}

/** The SQLite store of workflows. */
export function workflowStore({
  connection,
  writer,
  workflowCache,
  versions,
  schedules,
  slots,
  endRuns,
  activity,
}: WorkflowParts): WorkflowStore {
  const sql = statements(connection);
  const save = prepareSave({ connection, versions, schedules });
  const publications = preparePublications({ connection, versions, schedules });
  function publishNewest({ id, publish, at }: { id: number; publish: Publishing; at: Instant }, effects: Effects) {
    publications.publish({ id, found: versions.newest(id), at, ...publish }, effects);
  }
  const found = (row: WorkflowRow | undefined): Workflow | null => (row === undefined ? null : toWorkflow(row));
  return {
    bySlug(slug) {
      const known = workflowCache.get(slug);
      if (known !== undefined) return Promise.resolve(known);
      return connection.read(() => {
        const workflow = found(sql.bySlug.get(slug));
        if (workflow !== null) workflowCache.add(workflow);
        return workflow;
      });
    },
    byId: (id) => connection.read(() => found(sql.byId.get(id))),
    budgetOf: (id) => connection.read(() => toBudget(sql.budget.get(id)?.budget ?? null)),
    defaultOf: (ownerId) => connection.read(() => found(sql.defaultOf.get(ownerId))),
    list: (params) => connection.read(() => list(sql, params)),
    tools: ({ editableBy, after, limit }) =>
      connection.read(() => sql.tools.all(editableBy, after, editableBy, after, limit).map(toWorkflow)),
    activity: (params) => connection.readInSlices(activity(params)),
    insert: (fields) =>
      writer.submit((effects) => {
        const workflow = insert(sql, fields, effects);
        if (workflow === 'slug_taken') return workflow;
        const { id: workflowId, version, ownerId: authorId } = workflow;
        const origin = { authorId, restoredFrom: null };
        const first = {
          workflowId,
          version,
          previousId: null,
          oldest: 1,
          changes: [],
          undos: [],
          origin,
          at: formatInstant(fields.at),
        };
        sql.setNewestVersion.run(versions.add(first), workflowId);
        const { changes = [], publish, at } = fields;
        if (changes.length === 0 && publish === undefined) return workflow;
        if (changes.length > 0) save({ workflowId, baseVersion: version, changes, at, origin }, effects);
        if (publish !== undefined) publishNewest({ id: workflowId, publish, at }, effects);
        return toWorkflow(expectRow(sql.byId.get(workflowId)));
      }),
    update: (params) => writer.submit((effects) => update({ sql, schedules, slots }, params, effects)),
    rewrite: ({ fields, publish, ...params }) =>
      writer.submit((effects) => {
        const { workflowId: id, baseVersion: version, at } = params;
        if (sql.byId.get(id)?.version !== version) return 'stale';
        if (fields !== undefined) update({ sql, schedules, slots }, { id, changes: fields, at }, effects);
        const saved = params.changes.length === 0 ? { version, saved: [] } : save(params, effects);
        if (publish !== undefined) publishNewest({ id, publish, at }, effects);
        return saved;
      }),
    async publish({ version, ...params }) {
      const found = await connection.readInSlices(versions.reading({ workflowId: params.id, version }));
      return writer.submit((effects) => publications.publish({ ...params, found }, effects));
    },
    unpublish: (params) => writer.submit((effects) => publications.unpublish(params, effects)),
    async remove({ ids, at }) {
      await writer.submit((effects) => {
        for (const id of ids) {
          const row = sql.remove.get(formatInstant(at), id);
          if (row === undefined) continue;
          effects.changeWorkflow(id, null);
          effects.accessChanges.push({ kind: 'workflow', workflowId: id });
          sql.countWorkflows.run(-1, row.owner_id);
          schedules.followWorkflow({ workflowId: id, at }, effects);
        }
      });
      await endRuns({ workflowIds: ids, at });
    },
  };
}

type Statements = ReturnType<typeof statements>;

function statements(connection: Connection) {
  return {
    // Used by webhooks: one lookup in the unique index on live slugs.
    bySlug: connection.prepare<[string], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows WHERE slug = ? AND deleted_at IS NULL`,
    ),
    byId: connection.prepare<[number], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows WHERE id = ? AND deleted_at IS NULL`,
    ),
    // Read before each call of a model.
    budget: connection.prepare<[number], { budget: string | null }>('SELECT budget FROM workflows WHERE id = ?'),
    // Scans `workflows_by_owner` backwards: no sort, and no more rows than offset + limit.
    list: connection.prepare<[number, number, number], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows WHERE owner_id = ? AND deleted_at IS NULL
       ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    ),
    // The owner's workflows in the order of their index, merged with the few that are shared.
    listWithShared: connection.prepare<[number, number, number, number], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows WHERE owner_id = ? AND deleted_at IS NULL
       UNION ALL
       SELECT ${workflowColumns} FROM workflows
       WHERE id IN (SELECT workflow_id FROM collaborators WHERE user_id = ?) AND deleted_at IS NULL
       ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    ),
    // The few of the owner in the partial index `workflows_mcp`, merged with those that are shared.
    tools: connection.prepare<[number, number, number, number, number], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows
       WHERE owner_id = ? AND mcp = 1 AND deleted_at IS NULL AND is_active = 1 AND id > ?
       UNION ALL
       SELECT ${workflowColumns} FROM workflows
       WHERE id IN (SELECT workflow_id FROM collaborators WHERE user_id = ? AND role = 'editor')
         AND mcp = 1 AND deleted_at IS NULL AND is_active = 1 AND id > ?
       ORDER BY id LIMIT ?`,
    ),
    total: connection.prepare<[number], { n: number }>('SELECT workflow_count AS n FROM users WHERE id = ?'),
    sharedTotal: connection.prepare<[number], { n: number }>(
      `SELECT count(*) AS n FROM collaborators c JOIN workflows w ON w.id = c.workflow_id
       WHERE c.user_id = ? AND w.deleted_at IS NULL`,
    ),
    countWorkflows: connection.prepare<[number, number]>(
      'UPDATE users SET workflow_count = workflow_count + ? WHERE id = ?',
    ),
    insert: connection.prepare<[number, string, string, ...FieldParams], WorkflowRow>(
      `INSERT INTO workflows (owner_id, created_at, updated_at, ${fieldColumns.join(', ')})
       VALUES (?, ?, ?, ${fieldColumns.map(() => '?').join(', ')}) RETURNING ${workflowColumns}`,
    ),
    update: connection.prepare<[...FieldParams, string, number], WorkflowRow>(
      `UPDATE workflows SET ${fieldColumns.map((name) => `${name} = ?`).join(', ')}, updated_at = ?
       WHERE id = ? RETURNING ${workflowColumns}`,
    ),
    setNewestVersion: connection.prepare<[number, number]>('UPDATE workflows SET newest_version_id = ? WHERE id = ?'),
    idBySlug: connection.prepare<[string], { id: number }>(
      'SELECT id FROM workflows WHERE slug = ? AND deleted_at IS NULL',
    ),
    defaultOf: connection.prepare<[number], WorkflowRow>(
      `SELECT ${workflowColumns} FROM workflows WHERE owner_id = ? AND is_default = 1 AND deleted_at IS NULL`,
    ),
    remove: connection.prepare<[string, number], { owner_id: number }>(
      'UPDATE workflows SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL RETURNING owner_id',
    ),
  };
}

function list(sql: Statements, params: { visibleTo: number; limit: number; offset: number }): Page<Workflow> {
  const { visibleTo, limit, offset } = params;
  const own = sql.total.get(visibleTo)?.n ?? 0;
  const shared = sql.sharedTotal.get(visibleTo)?.n ?? 0;
  const rows =
    shared === 0 ? sql.list.all(visibleTo, limit, offset) : sql.listWithShared.all(visibleTo, visibleTo, limit, offset);
  return { items: rows.map(toWorkflow), total: own + shared };
}

function insert(sql: Statements, workflow: NewWorkflow, effects: Effects): Workflow | 'slug_taken' {
  if (sql.idBySlug.get(workflow.slug) !== undefined) return 'slug_taken';
  if (workflow.isDefault) endDefault(sql, workflow, effects);
  const at = formatInstant(workflow.at);
  const row = sql.insert.get(workflow.ownerId, at, at, ...fieldParams(workflow));
  sql.countWorkflows.run(1, workflow.ownerId);
  return toWorkflow(expectRow(row));
}

/** The consequences of a change of a workflow. */
interface Followers extends Pick<WorkflowParts, 'schedules' | 'slots'> {
  readonly sql: Statements;
}

function update(
  { sql, schedules, slots }: Followers,
  params: { id: number; changes: WorkflowChanges; at: Instant },
  effects: Effects,
): Workflow | 'slug_taken' | 'missing' {
  const row = sql.byId.get(params.id);
  if (row === undefined) return 'missing';
  const before = toWorkflow(row);
  const after = { ...before, ...params.changes };
  if (isUnchanged(before, params.changes)) {
    effects.publish(before.id, { type: 'workflow_updated', workflow: before });
    return before;
  }
  if (after.slug !== before.slug && sql.idBySlug.get(after.slug) !== undefined) return 'slug_taken';
  if (after.isDefault && !before.isDefault) endDefault(sql, { ownerId: before.ownerId, at: params.at }, effects);
  if (after.isPublic !== before.isPublic) effects.accessChanges.push({ kind: 'workflow', workflowId: before.id });
  const written = write(
    sql,
    { ...after, updatedAt: instantAfter(before.updatedAt, storedInstant(params.at)) },
    effects,
  );
  if (after.isActive !== before.isActive) schedules.followWorkflow({ workflowId: before.id, at: params.at }, effects);
  if (after.concurrency !== before.concurrency) slots.followLimit(before.id, effects);
  return written;
}

function isUnchanged(before: Workflow, changes: WorkflowChanges): boolean {
  const fields = new Map<string, Json>(Object.entries(before));
  return Object.entries(changes).every(([name, value]) => isSameJson(value, fields.get(name) ?? null));
}

/** At most one default per owner: the flag of the previous default is cleared. */
function endDefault(sql: Statements, { ownerId, at }: { ownerId: number; at: Instant }, effects: Effects): void {
  const row = sql.defaultOf.get(ownerId);
  if (row === undefined) return;
  const present = toWorkflow(row);
  write(sql, { ...present, isDefault: false, updatedAt: instantAfter(present.updatedAt, storedInstant(at)) }, effects);
}

function write(sql: Statements, workflow: Workflow, effects: Effects): Workflow {
  const row = sql.update.get(...fieldParams(workflow), formatInstant(workflow.updatedAt), workflow.id);
  const stored = toWorkflow(expectRow(row));
  effects.changeWorkflow(stored.id, null);
  effects.publish(stored.id, { type: 'workflow_updated', workflow: stored });
  return stored;
}
