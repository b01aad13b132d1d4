import { type Edge, isArray, isObject, type Json, type JsonObject, type Node, type SlicedWork } from '@millrace/core';
import type { SavedRequest, SaveRequest } from '../../graphs.ts';
import { readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { VersionLog } from './version-log.ts';
import { versionChain } from './version-row.ts';

/** What is stored of a request: its id, and `n` or `e` with an id for the node or edge of each operation. */
export function storedRequest({ id, results }: SaveRequest, saved: readonly (Node | Edge | null)[]): string {
  const objects = results.map((result) => (typeof result === 'number' ? (saved[result] ?? null) : result));
  return JSON.stringify({ id, objects: objects.map((object) => object && nameOf(object)) });
}

function nameOf(object: Node | Edge): string {
  return 'nodeId' in object ? `n${object.id}` : `e${object.id}`;
}

/** Prepares the look-up of what an earlier request saved. */
export function prepareSavedRequest(
  connection: Connection,
  versions: VersionLog,
): (params: { workflowId: number; version: number; requestId: string }) => SlicedWork<SavedRequest | null> {
  const heads = connection.prepare<[number], { version: number; newest_version_id: number }>(
    'SELECT version, newest_version_id FROM workflows WHERE id = ? AND deleted_at IS NULL',
  );
  const requests = connection.prepare<[number, number, number], { request: string | null }>(
    `${versionChain} SELECT v.request FROM chain JOIN graph_versions v ON v.id = chain.id`,
  );
  return function* find({ workflowId, version, requestId }) {
    const head = heads.get(workflowId);
    if (head === undefined || version > head.version) return null;
    const row = requests.get(head.newest_version_id, 1, head.version - version);
    const stored = readJson(row?.request ?? null, isStored, null);
    if (stored?.id !== requestId || !isArray(stored.objects)) return null;
    const graph = (yield* versions.reading({ workflowId, version }))?.graph;
    if (graph === undefined) return null;
    const objects = new Map([...graph.nodes, ...graph.edges].map((object) => [nameOf(object), object]));
    return { version, objects: stored.objects.map((name) => objects.get(String(name)) ?? null) };
  };
}

function isStored(value: Json): value is JsonObject {
  return isObject(value);
}
