import { type Graph, isObject } from '@millrace/core';
import { readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import { Damage } from '../database/failures.ts';

/** A version of a workflow. */
interface VersionKey {
  readonly workflowId: number;
  readonly version: number;
}

/** Prepares reading the graph of a version that a run pinned or that is published; null for any other version. */
export function preparePinned(connection: Connection): (key: VersionKey) => Graph | null {
  const find = connection.prepare<[number, number], { graph: string }>(
    'SELECT graph FROM workflow_versions WHERE workflow_id = ? AND version = ?',
  );
  return ({ workflowId, version }) => {
    const row = find.get(workflowId, version);
    if (row === undefined) return null;
    const graph = readJson(row.graph, isObject, null) as Graph | null;
    if (graph === null) throw new Damage(`Version ${version} of the workflow`);
    return graph;
  };
}

/** Prepares storing the graph of a version. A version never changes, so a stored one is left as it is. */
export function preparePin(connection: Connection): (key: VersionKey, graph: Graph) => void {
  const insert = connection.prepare<[number, number, string]>(
    'INSERT INTO workflow_versions (workflow_id, version, graph) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  return ({ workflowId, version }, graph) => void insert.run(workflowId, version, JSON.stringify(graph));
}
