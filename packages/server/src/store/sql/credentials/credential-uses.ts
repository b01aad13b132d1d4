import type { Instant, JsonObject } from '@millrace/core';
import type { Effects } from '../database/effects.ts';
import { type NodeRow, nodeFieldColumns, toNode } from '../workflows/graph-rows.ts';
import { prepareSave, type SaveParts } from '../workflows/graphs.ts';

/** The keys of a node's config that name a credential. */
const references = ['credential_id', 'llm_credential_id'] as const;

/** A node that uses a credential, with its workflow; null for the version of a removed one. */
type UserRow = NodeRow & { readonly workflow_id: number; readonly version: number; readonly deleted_at: string | null };

interface Removal {
  readonly ids: readonly number[];
  readonly at: Instant;
}

/** Takes removed credentials from the nodes that use them. A removed workflow's nodes change too, but nobody is told. */
export function prepareCredentialUses(parts: SaveParts): (removal: Removal, effects: Effects) => void {
  const { connection } = parts;
  const columns = nodeFieldColumns.map((name) => `n.${name}`).join(', ');
  const users = references.map((reference) =>
    // One probe of the partial index of this reference.
    connection.prepare<[number], UserRow>(
      `SELECT n.id, ${columns}, n.updated_at, n.workflow_id, w.version, w.deleted_at
       FROM nodes n JOIN workflows w ON w.id = n.workflow_id
       WHERE json_extract(n.config, '$.${reference}') = ?`,
    ),
  );
  const setConfig = connection.prepare<[string, number]>('UPDATE nodes SET config = ? WHERE id = ?');
  const save = prepareSave(parts);
  return ({ ids, at }, effects) => {
    const gone = new Set(ids);
    const rows = new Map(ids.flatMap((id) => users.flatMap((user) => user.all(id))).map((row) => [row.id, row]));
    for (const [workflowId, nodes] of Map.groupBy(rows.values(), (row) => row.workflow_id)) {
      const changes = nodes.map((row) => {
        const { id, updatedAt: _before, ...node } = toNode(row);
        return { kind: 'update_node', id, node: { ...node, config: without(node.config, gone) } } as const;
      });
      const [{ version, deleted_at: deletedAt } = { version: 0, deleted_at: null }] = nodes;
      if (deletedAt === null) save({ workflowId, baseVersion: version, changes, at }, effects);
      else for (const { id, node } of changes) setConfig.run(JSON.stringify(node.config), id);
    }
  };
}

function without(config: JsonObject, gone: ReadonlySet<number>): JsonObject {
  const cleared = references.filter((reference) => gone.has(Number(config[reference])));
  return { ...config, ...Object.fromEntries(cleared.map((reference) => [reference, null])) };
}
