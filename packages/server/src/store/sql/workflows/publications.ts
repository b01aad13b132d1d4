import { formatInstant, type Instant, instantAfter, type Node, parseInstant, type Workflow } from '@millrace/core';
import type { PublishFailure, Publishing } from '../../workflows.ts';
import { expectRow, storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { preparePin } from '../executions/pinned-graphs.ts';
import type { ScheduleTable } from './schedule-table.ts';
import type { StoredVersion, VersionLog } from './version-log.ts';
import { toWorkflow, type WorkflowRow, workflowColumns } from './workflow-row.ts';

/** Publishes versions, in a transaction in progress. */
export interface Publications {
  /** @param params.found the version, which was read before the transaction; null if there was none */
  publish(
    params: Publishing & { id: number; found: StoredVersion | null; at: Instant },
    effects: Effects,
  ): Workflow | PublishFailure;
  unpublish(params: { id: number; at: Instant }, effects: Effects): Workflow | 'missing';
}

interface PublicationParts {
  readonly connection: Connection;
  readonly versions: VersionLog;
  readonly schedules: ScheduleTable;
}

/** The version columns of a workflow's row. */
interface Head {
  readonly version: number;
  readonly oldest_version: number;
  readonly published_version: number | null;
  readonly published_version_id: number | null;
  readonly updated_at: string;
}

/** Prepares the statements that change which version is published. */
export function preparePublications({ connection, versions, schedules }: PublicationParts): Publications {
  const sql = statements(connection);
  const pin = preparePin(connection);

  /**
   * Makes another version the published one. The former published version may be older than the rest of the history.
   */
  function point(id: number, to: { version: number; rowId: number } | null, { head, at }: { head: Head; at: Instant }) {
    const { version = null, rowId = null } = to ?? {};
    const { published_version: before, published_version_id: beforeId } = head;
    if (before === version) return;
    const updatedAt = formatInstant(instantAfter(parseInstant(head.updated_at), storedInstant(at)));
    sql.point.run(version, rowId, updatedAt, id);
    // A version older than the oldest of the history was stored only because it was published.
    if (before === null || before >= head.oldest_version) return;
    sql.removeVersion.run(beforeId);
    sql.removePublication.run(id, before);
  }

  /** Replaces the uses of credentials in the published version. */
  function storeUses(id: number, nodes: readonly Node[]): void {
    sql.removeUses.run(id);
    for (const { nodeId, config } of nodes) {
      for (const credentialId of [config.credential_id, config.llm_credential_id]) {
        if (typeof credentialId === 'number') sql.addUse.run(credentialId, id, nodeId);
      }
    }
  }

  function changed(id: number, effects: Effects): Workflow {
    const workflow = toWorkflow(expectRow(sql.workflow.get(id)));
    effects.changeWorkflow(id, null);
    effects.publish(id, { type: 'workflow_updated', workflow });
    return workflow;
  }

  return {
    publish({ id, found, authorId, note, at }, effects) {
      const head = sql.head.get(id);
      if (head === undefined) return 'missing';
      // It may have been deleted since it was read.
      if (found === null || sql.isStored.get(found.id, id) === undefined) return 'unknown_version';
      const { version } = found.info;
      pin({ workflowId: id, version }, found.graph);
      sql.note.run(id, version, formatInstant(at), authorId, note);
      point(id, { version, rowId: found.id }, { head, at });
      storeUses(id, found.graph.nodes);
      schedules.followVersion({ workflowId: id, nodes: found.graph.nodes, at }, effects);
      return changed(id, effects);
    },
    unpublish({ id, at }, effects) {
      const head = sql.head.get(id);
      if (head === undefined) return 'missing';
      const newest = versions.newest(id);
      point(id, null, { head, at });
      storeUses(id, []);
      schedules.followVersion({ workflowId: id, nodes: newest?.graph.nodes ?? [], at }, effects);
      return changed(id, effects);
    },
  };
}

function statements(connection: Connection) {
  return {
    head: connection.prepare<[number], Head>(
      `SELECT version, oldest_version, published_version, published_version_id, updated_at FROM workflows
       WHERE id = ? AND deleted_at IS NULL`,
    ),
    workflow: connection.prepare<[number], WorkflowRow>(`SELECT ${workflowColumns} FROM workflows WHERE id = ?`),
    point: connection.prepare<[number | null, number | null, string, number]>(
      'UPDATE workflows SET published_version = ?, published_version_id = ?, updated_at = ? WHERE id = ?',
    ),
    note: connection.prepare<[number, number, string, number | null, string | null]>(
      `INSERT INTO publications (workflow_id, version, published_at, author_id, note) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET published_at = excluded.published_at, author_id = excluded.author_id,
         note = excluded.note`,
    ),
    removePublication: connection.prepare<[number, number]>(
      'DELETE FROM publications WHERE workflow_id = ? AND version = ?',
    ),
    removeUses: connection.prepare<[number]>('DELETE FROM published_credential_uses WHERE workflow_id = ?'),
    addUse: connection.prepare<[number, number, string]>(
      `INSERT INTO published_credential_uses (credential_id, workflow_id, node_id) VALUES (?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    isStored: connection.prepare<[number, number]>('SELECT 1 FROM graph_versions WHERE id = ? AND workflow_id = ?'),
    removeVersion: connection.prepare<[number | null]>('DELETE FROM graph_versions WHERE id = ?'),
  };
}
