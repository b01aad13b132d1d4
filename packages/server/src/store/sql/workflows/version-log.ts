import type { Graph, SlicedWork } from '@millrace/core';
import type { GraphChange, GraphVersion, SaveOrigin } from '../../graphs.ts';
import type { Page } from '../../page.ts';
import { expectRow } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import { Damage } from '../database/failures.ts';
import { preparePinned } from '../executions/pinned-graphs.ts';
import { prepareEdgesOf } from './edge-index.ts';
import { type NodeRow, nodeFieldColumns, toEdge, toNode } from './graph-rows.ts';
import { GraphRows, type Undo } from './undo.ts';
import { prepareVersionPrune } from './version-prune.ts';
import { countsOf, toVersion, type VersionRow, versionChain, versionSelection } from './version-row.ts';

/** A save to be recorded. */
interface NewVersion {
  readonly workflowId: number;
  readonly version: number;
  readonly previousId: number | null;
  /** The oldest stored version. */
  readonly oldest: number;
  readonly changes: readonly GraphChange[];
  readonly undos: readonly Undo[];
  readonly origin: SaveOrigin;
  /** As stored in its column. */
  readonly at: string;
  /** What is stored of the request that makes it, if its client may repeat it. */
  readonly request?: string | null;
}

/** The versions of a workflow. */
export interface VersionLog {
  /** Records a save; returns the id of its row, for the workflow to refer to. */
  add(version: NewVersion): number;
  list(params: { workflowId: number; limit: number; offset: number }): Page<GraphVersion>;
  /** Reads a version in slices, between which anything may be saved or deleted. */
  reading(params: { workflowId: number; version: number }): SlicedWork<StoredVersion | null>;
  newest(workflowId: number): StoredVersion | null;
}

/** A version that can be read. */
export interface StoredVersion {
  /** The id of its row. */
  readonly id: number;
  readonly info: GraphVersion;
  readonly graph: Graph;
}

/** The first and last versions of a workflow's list, and the published version. */
interface Ends {
  readonly version: number;
  readonly oldest_version: number;
  readonly newest_version_id: number;
  readonly published_version: number | null;
  readonly published_version_id: number | null;
}

interface LinkRow {
  readonly previous_id: number | null;
  readonly undo: string;
}

/** Characters of undos processed in one turn of the event loop: some 3 ms. */
const charactersAtOnce = 1_048_576;
/** The same as a number of undos, which matters for small ones. */
const undosAtOnce = 200;

type StoredRow = VersionRow & { readonly id: number };

/** The row of a published version that is older than the rest of the history, because the others were pruned. */
function loneId({ published_version: published, published_version_id: id, oldest_version: oldest }: Ends) {
  return published !== null && published < oldest ? id : null;
}

type Columns = [number, number, number | null, string, number | null, number | null, string, string, string | null];

/** Inserts a row; returns its id. */
function prepareInsert(connection: Connection): (columns: Columns) => number {
  const insert = connection.prepare<Columns>(
    `INSERT INTO graph_versions
       (workflow_id, version, previous_id, created_at, author_id, restored_from, counts, undo, request)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (columns) => Number(insert.run(...columns).lastInsertRowid);
}

function missing(version: number): Damage {
  return new Damage(`Version ${version} of the workflow`);
}

/** Prepares the statements on versions. */
export function prepareVersionLog(connection: Connection): VersionLog {
  const ends = connection.prepare<[number], Ends>(
    `SELECT version, oldest_version, newest_version_id, published_version, published_version_id
     FROM workflows WHERE id = ? AND deleted_at IS NULL`,
  );
  const insert = prepareInsert(connection);
  const page = connection.prepare<[number, number, number], StoredRow>(
    `${versionChain}
     SELECT v.id, ${versionSelection.columns} FROM chain JOIN graph_versions v ON v.id = chain.id
     ${versionSelection.joins} ORDER BY v.version DESC`,
  );
  const one = connection.prepare<[number], StoredRow>(
    `SELECT v.id, ${versionSelection.columns} FROM graph_versions v ${versionSelection.joins} WHERE v.id = ?`,
  );
  const link = connection.prepare<[number], LinkRow>('SELECT previous_id, undo FROM graph_versions WHERE id = ?');
  const nodes = connection.prepare<[number], NodeRow>(
    `SELECT id, ${nodeFieldColumns.join(', ')}, updated_at FROM nodes WHERE workflow_id = ?`,
  );
  const edgesOf = prepareEdgesOf(connection);
  const prune = prepareVersionPrune(connection);
  const pinned = preparePinned(connection);

  function rowsOf(workflowId: number): GraphRows {
    return new GraphRows(nodes.all(workflowId), edgesOf(workflowId));
  }

  function stored(id: number, rows: GraphRows): StoredVersion {
    const graph = { nodes: rows.nodes.map(toNode), edges: rows.edges.map(toEdge) };
    return { id, info: toVersion(expectRow(one.get(id))), graph };
  }

  /** Undoes the later saves, starting from the newest graph. Null if the version is deleted meanwhile. */
  function* inChain(workflowId: number, newestId: number, back: number): SlicedWork<StoredVersion | null> {
    const rows = rowsOf(workflowId);
    let id = newestId;
    let characters = 0;
    for (let undone = 1; undone <= back; undone += 1) {
      const row = link.get(id);
      if (row === undefined || row.previous_id === null) return null;
      for (const step of JSON.parse(row.undo) as Undo[]) rows.undo(step);
      id = row.previous_id;
      characters += row.undo.length;
      if (characters < charactersAtOnce && undone % undosAtOnce > 0) continue;
      characters = 0;
      yield;
    }
    yield;
    return one.get(id) === undefined ? null : stored(id, rows);
  }

  /** The published version, whose undos were pruned. */
  function alone(workflowId: number, id: number): StoredVersion {
    const row = expectRow(one.get(id));
    const graph = pinned({ workflowId, version: row.version });
    if (graph === null) throw new Damage('The published version of the workflow');
    const { nodes: ownNodes, edges } = graph;
    return { id, info: toVersion(row), graph: { nodes: ownNodes, edges } };
  }

  return {
    add({ workflowId, version, previousId, oldest, changes, undos: steps, origin, at, request = null }) {
      const counts = countsOf(changes);
      const undo = JSON.stringify(steps.length === 1 ? steps : steps.toReversed());
      const { authorId, restoredFrom } = origin;
      const id = insert([workflowId, version, previousId, at, authorId, restoredFrom, counts, undo, request]);
      prune({ workflowId, version, newestId: id, length: undo.length, oldest });
      return id;
    },
    list({ workflowId, limit, offset }) {
      const found = ends.get(workflowId);
      if (found === undefined) return { items: [], total: 0 };
      const chained = found.version - found.oldest_version + 1;
      const lone = loneId(found);
      const rows = page.all(found.newest_version_id, Math.max(0, Math.min(limit, chained - offset)), offset);
      if (lone !== null && offset <= chained && offset + limit > chained) rows.push(expectRow(one.get(lone)));
      return { items: rows.map(toVersion), total: chained + (lone === null ? 0 : 1) };
    },
    *reading({ workflowId, version }) {
      for (;;) {
        const found = ends.get(workflowId);
        if (found === undefined) return null;
        const lone = loneId(found);
        if (lone !== null && version === found.published_version) return alone(workflowId, lone);
        if (version > found.version || version < found.oldest_version) return null;
        const read = yield* inChain(workflowId, found.newest_version_id, found.version - version);
        if (read !== null) return read;
        // The oldest versions were deleted meanwhile, unless a row is missing.
        if (ends.get(workflowId)?.oldest_version === found.oldest_version) throw missing(version);
      }
    },
    newest(workflowId) {
      const found = ends.get(workflowId);
      return found === undefined ? null : stored(found.newest_version_id, rowsOf(workflowId));
    },
  };
}
