import { formatInstant, instantAfter, parseInstant } from '@millrace/core';
import { slices } from '../../../ground/slices.ts';
import type { GraphChange, GraphStore, SavedGraph, SaveOrigin, VersionedGraph } from '../../graphs.ts';
import { storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { Damage } from '../database/failures.ts';
import type { Writer } from '../database/writer.ts';
import { preparePinned } from '../executions/pinned-graphs.ts';
import { prepareEdgesOf } from './edge-index.ts';
import { prepareGraphChanges } from './graph-changes.ts';
import { type NodeRow, nodeFieldColumns, toEdge, toNode } from './graph-rows.ts';
import { prepareSavedRequest, storedRequest } from './saved-requests.ts';
import type { ScheduleTable } from './schedule-table.ts';
import { NewIds } from './temporary-ids.ts';
import type { Undo } from './undo.ts';
import type { VersionLog } from './version-log.ts';

/** The parts that a save of a graph writes with. */
export interface SaveParts {
  readonly connection: Connection;
  readonly versions: VersionLog;
  readonly schedules: ScheduleTable;
}

/** The SQLite store of graphs. */
export function graphStore(parts: SaveParts & { readonly writer: Writer }): GraphStore {
  const { connection, writer, versions } = parts;
  const load = prepareLoad(connection);
  const save = prepareSave(parts);
  const pinned = preparePinned(connection);
  const savedRequest = prepareSavedRequest(connection, versions);
  const heads = connection.prepare<[number], { version: number; published_version: number | null }>(
    'SELECT version, published_version FROM workflows WHERE id = ? AND deleted_at IS NULL',
  );
  return {
    load: (workflowId) => connection.read(() => load(workflowId)),
    save: (params) => writer.submit((effects) => save(params, effects)),
    announce: ({ workflowId, objects, at }) =>
      writer.submit((effects) => {
        for (const object of objects) {
          if (!('nodeId' in object)) effects.publish(workflowId, { type: 'edge_updated', edge: object });
          else {
            const schedule = parts.schedules.follow(object, { workflowId, at }, effects);
            effects.publish(workflowId, { type: 'node_updated', node: object, ...(schedule && { schedule }) });
          }
        }
      }),
    versions: (params) => connection.read(() => versions.list(params)),
    async at(params) {
      // To read all rows is not divided.
      await slices.turn();
      const found = await connection.readInSlices(versions.reading(params));
      return found && { info: found.info, graph: found.graph };
    },
    effective: (workflowId) =>
      connection.read(() => {
        const head = heads.get(workflowId);
        if (head === undefined) return null;
        const { version, published_version: published } = head;
        if (published === null || published === version) return load(workflowId);
        const graph = pinned({ workflowId, version: published });
        if (graph === null) throw new Damage('The published version of the workflow');
        return { ...graph, version: published };
      }),
    savedRequest: (params) => connection.readInSlices(savedRequest(params)),
    pinned: (key) => connection.read(() => pinned(key)),
  };
}

/** Three statements, each of which scans one range of one index, except for the few edges that are not yet indexed. */
function prepareLoad(connection: Connection): (workflowId: number) => VersionedGraph | null {
  const version = connection.prepare<[number], { version: number }>(
    'SELECT version FROM workflows WHERE id = ? AND deleted_at IS NULL',
  );
  const nodes = connection.prepare<[number], NodeRow>(
    `SELECT id, ${nodeFieldColumns.join(', ')}, updated_at FROM nodes WHERE workflow_id = ? ORDER BY id`,
  );
  const edgesOf = prepareEdgesOf(connection);
  return (workflowId) => {
    const row = version.get(workflowId);
    if (row === undefined) return null;
    return {
      version: row.version,
      nodes: nodes.all(workflowId).map(toNode),
      edges: edgesOf(workflowId).map(toEdge),
    };
  };
}

interface Head {
  readonly updated_at: string;
  readonly newest_version_id: number | null;
  readonly oldest_version: number;
  readonly published_version: number | null;
}

type Save = Parameters<GraphStore['save']>[0];

const noOrigin: SaveOrigin = { authorId: null, restoredFrom: null };

/** Applies changes in a transaction in progress. */
export function prepareSave({
  connection,
  versions,
  schedules,
}: SaveParts): (params: Save, effects: Effects) => SavedGraph | 'stale' {
  const current = connection.prepare<[number, number], Head>(
    `SELECT updated_at, newest_version_id, oldest_version, published_version FROM workflows
     WHERE id = ? AND version = ? AND deleted_at IS NULL`,
  );
  const advance = connection.prepare<[number, number, number, string, number]>(
    `UPDATE workflows SET version = version + 1, newest_version_id = ?, node_count = node_count + ?,
       edge_count = edge_count + ?, updated_at = ?
     WHERE id = ?`,
  );
  const apply = prepareGraphChanges(connection, schedules);
  return ({ workflowId, baseVersion, changes, at, origin = noOrigin }, effects) => {
    const row = current.get(workflowId, baseVersion);
    if (row === undefined) return 'stale';
    const updatedAt = instantAfter(parseInstant(row.updated_at), storedInstant(at));
    const undos: Undo[] = [];
    const isDraft = row.published_version !== null;
    const version = baseVersion + 1;
    const common = { workflowId, undos, updatedAt, version, isDraft, newIds: new NewIds() };
    const saved = changes.map((change) => apply(change, common, effects));
    const nodes = count(changes, 'create_node') - count(changes, 'delete_node');
    const edges = count(changes, 'create_edge') - count(changes, 'delete_edge');
    const previousId = row.newest_version_id;
    const moment = formatInstant(updatedAt);
    const versionId = versions.add({
      workflowId,
      version,
      previousId,
      oldest: row.oldest_version,
      changes,
      undos,
      origin,
      at: moment,
      request: origin.request === undefined ? null : storedRequest(origin.request, saved),
    });
    advance.run(versionId, nodes, edges, moment, workflowId);
    effects.changeWorkflow(workflowId, { version, updatedAt, nodes, edges });
    return { version, saved };
  };
}

function count(changes: readonly GraphChange[], kind: GraphChange['kind']): number {
  return changes.reduce((sum, change) => sum + (change.kind === kind ? 1 : 0), 0);
}
