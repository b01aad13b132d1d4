import { isArray, type Json, parseInstant } from '@millrace/core';
import type { GraphChange, GraphVersion } from '../../graphs.ts';
import { readJson } from '../database/columns.ts';

/** A version as returned to callers, with the names of its author and its publisher. */
export interface VersionRow {
  readonly version: number;
  readonly created_at: string;
  readonly author: string | null;
  readonly restored_from: number | null;
  readonly counts: string;
  readonly published_at: string | null;
  readonly publisher: string | null;
  readonly note: string | null;
}

/**
 * The columns that SELECT reads of a version `v`, joined with its author and its last publication. A deleted user has
 * no name.
 */
export const versionSelection = {
  columns: `v.version, v.created_at, u.username AS author, v.restored_from, v.counts, p.published_at,
    pu.username AS publisher, p.note`,
  joins: `LEFT JOIN users u ON u.id = v.author_id AND u.deleted_at IS NULL
    LEFT JOIN publications p ON p.workflow_id = v.workflow_id AND p.version = v.version
    LEFT JOIN users pu ON pu.id = p.author_id AND pu.deleted_at IS NULL`,
} as const;

/** Rows from a given newest one on: limit and offset. Each step is one lookup by rowid. */
export const versionChain = `WITH RECURSIVE chain (id, previous_id) AS (
  SELECT id, previous_id FROM graph_versions WHERE id = ?
  UNION ALL
  SELECT v.id, v.previous_id FROM chain c JOIN graph_versions v ON v.id = c.previous_id
  LIMIT ? OFFSET ?
)`;

/** The order in `counts`. */
const kinds: readonly GraphChange['kind'][] = [
  'create_node',
  'update_node',
  'delete_node',
  'create_edge',
  'update_edge',
  'delete_edge',
];

/** The number of changes of each kind, as JSON. */
export function countsOf(changes: readonly GraphChange[]): string {
  const [change] = changes;
  // Nearly every save has one change.
  if (change !== undefined && changes.length === 1) return countsOfOne[change.kind];
  const counts = kinds.map(() => 0);
  for (const { kind } of changes) counts[kinds.indexOf(kind)] = (counts[kinds.indexOf(kind)] ?? 0) + 1;
  return JSON.stringify(counts);
}

const countsOfOne: Readonly<Record<GraphChange['kind'], string>> = {
  create_node: '[1,0,0,0,0,0]',
  update_node: '[0,1,0,0,0,0]',
  delete_node: '[0,0,1,0,0,0]',
  create_edge: '[0,0,0,1,0,0]',
  update_edge: '[0,0,0,0,1,0]',
  delete_edge: '[0,0,0,0,0,1]',
};

function isCounts(value: Json): value is readonly number[] {
  return isArray(value) && value.every((count) => typeof count === 'number');
}

/** Converts a row to a version; damaged counts become zero, so that the others can be listed. */
export function toVersion(row: VersionRow): GraphVersion {
  const [nodesCreated = 0, nodesUpdated = 0, nodesDeleted = 0, edgesCreated = 0, edgesUpdated = 0, edgesDeleted = 0] =
    readJson(row.counts, isCounts, []) ?? [];
  return {
    version: row.version,
    createdAt: parseInstant(row.created_at),
    author: row.author,
    restoredFrom: row.restored_from,
    nodes: { created: nodesCreated, updated: nodesUpdated, deleted: nodesDeleted },
    edges: { created: edgesCreated, updated: edgesUpdated, deleted: edgesDeleted },
    publication:
      row.published_at === null ? null : { at: parseInstant(row.published_at), author: row.publisher, note: row.note },
  };
}
