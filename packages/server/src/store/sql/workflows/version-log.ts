import type { Graph } from '@millrace/core';
import type { GraphChange, GraphVersion, SaveOrigin } from '../../graphs.ts';
import type { Page } from '../../page.ts';
import { expectRow } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import { prepareEdgesOf } from './edge-index.ts';
import { type NodeRow, nodeFieldColumns, toEdge, toNode } from './graph-rows.ts';
import { GraphRows, type Undo } from './undo.ts';
import { prepareVersionPrune } from './version-prune.ts';
import { countsOf, toVersion, type VersionRow, versionChain } from './version-row.ts';

/** A save to be noted. */
interface NewVersion {
  readonly workflowId: number;
  readonly version: number;
  readonly previousId: number | null;
  /** The oldest version that is kept. */
  readonly oldest: number;
  readonly changes: readonly GraphChange[];
  readonly undos: readonly Undo[];
  readonly origin: SaveOrigin;
  /** As its column keeps it. */
  readonly at: string;
}

/** The versions that a workflow had. */
export interface VersionLog {
  /** Notes a save; gives the id of its row, for the workflow to point to. */
  add(version: NewVersion): number;
  list(params: { workflowId: number; limit: number; offset: number }): Page<GraphVersion>;
  at(params: { workflowId: number; version: number }): { readonly info: GraphVersion; readonly graph: Graph } | null;
}

/** The ends of a workflow's list. */
interface Ends {
  readonly version: number;
  readonly oldest_version: number;
  readonly newest_version_id: number;
}

/** Prepares the statements on versions. */
export function prepareVersionLog(connection: Connection): VersionLog {
  const ends = connection.prepare<[number], Ends>(
    'SELECT version, oldest_version, newest_version_id FROM workflows WHERE id = ? AND deleted_at IS NULL',
  );
  const insert = connection.prepare<
    [number, number, number | null, string, number | null, number | null, string, string]
  >(
    `INSERT INTO graph_versions (workflow_id, version, previous_id, created_at, author_id, restored_from, counts, undo)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // A deleted user's name is not one.
  const page = connection.prepare<[number, number, number], VersionRow>(
    `${versionChain}
     SELECT v.version, v.created_at, u.username AS author, v.restored_from, v.counts
     FROM chain JOIN graph_versions v ON v.id = chain.id LEFT JOIN users u ON u.id = v.author_id AND u.deleted_at IS NULL
     ORDER BY v.version DESC`,
  );
  const undos = connection.prepare<[number, number, number], { undo: string }>(
    `${versionChain} SELECT v.undo FROM chain JOIN graph_versions v ON v.id = chain.id ORDER BY v.version DESC`,
  );
  const nodes = connection.prepare<[number], NodeRow>(
    `SELECT id, ${nodeFieldColumns.join(', ')}, updated_at FROM nodes WHERE workflow_id = ?`,
  );
  const edgesOf = prepareEdgesOf(connection);
  const prune = prepareVersionPrune(connection);

  return {
    add({ workflowId, version, previousId, oldest, changes, undos: steps, origin, at }) {
      const counts = countsOf(changes);
      const undo = JSON.stringify(steps.length === 1 ? steps : steps.toReversed());
      const { authorId, restoredFrom } = origin;
      const { lastInsertRowid } = insert.run(workflowId, version, previousId, at, authorId, restoredFrom, counts, undo);
      const id = Number(lastInsertRowid);
      prune({ workflowId, version, newestId: id, length: undo.length, oldest });
      return id;
    },
    list({ workflowId, limit, offset }) {
      const found = ends.get(workflowId);
      if (found === undefined) return { items: [], total: 0 };
      const total = found.version - found.oldest_version + 1;
      return {
        items: page.all(found.newest_version_id, Math.max(0, Math.min(limit, total - offset)), offset).map(toVersion),
        total,
      };
    },
    at({ workflowId, version }) {
      const found = ends.get(workflowId);
      if (found === undefined || version > found.version || version < found.oldest_version) return null;
      const back = found.version - version;
      const info = toVersion(expectRow(page.get(found.newest_version_id, 1, back)));
      const rows = new GraphRows(nodes.all(workflowId), edgesOf(workflowId));
      for (const { undo } of back === 0 ? [] : undos.all(found.newest_version_id, back, 0)) {
        for (const step of JSON.parse(undo) as Undo[]) rows.undo(step);
      }
      return { info, graph: { nodes: rows.nodes.map(toNode), edges: rows.edges.map(toEdge) } };
    },
  };
}
