import type { CredentialUse, CredentialUses } from '../../credentials.ts';
import { expectRow } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';

/** Prepares looking up which nodes name a credential, in the newest versions and in the published ones. */
export interface CredentialUseReader {
  read(params: CredentialUsesParams): CredentialUses;
  /** The ids that a node of any workflow names, in ascending order. */
  used(ids: readonly number[]): readonly number[];
}

interface CredentialUsesParams {
  readonly ids: readonly number[];
  readonly viewerId: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The uses of the credentials in the JSON list `@ids`. Each part is one look-up in an index. Workflows in the trash do not
 * count.
 */
const uses = `WITH
  ids AS (SELECT value FROM json_each(@ids)),
  named (credential_id, workflow_id, node_id) AS (
    SELECT json_extract(config, '$.credential_id'), workflow_id, node_id FROM nodes
      WHERE json_extract(config, '$.credential_id') IN (SELECT value FROM ids)
    UNION ALL
    SELECT json_extract(config, '$.llm_credential_id'), workflow_id, node_id FROM nodes
      WHERE json_extract(config, '$.llm_credential_id') IN (SELECT value FROM ids)
    UNION ALL
    SELECT credential_id, workflow_id, node_id FROM published_credential_uses
      WHERE credential_id IN (SELECT value FROM ids)),
  uses AS (
    SELECT named.credential_id, named.node_id, w.id AS workflow_id, w.slug,
      (w.owner_id = @viewerId OR w.is_public = 1
        OR EXISTS (SELECT 1 FROM collaborators c WHERE c.workflow_id = w.id AND c.user_id = @viewerId)) AS is_visible
    FROM named JOIN workflows w ON w.id = named.workflow_id WHERE w.deleted_at IS NULL)`;

/** An id that no user has, for a query that does not depend on the viewer. */
const nobody = 0;

interface Asked {
  readonly ids: string;
  readonly viewerId: number;
}

interface Part {
  readonly limit: number;
  readonly offset: number;
}

export function prepareCredentialUses(connection: Connection): CredentialUseReader {
  const list = connection.prepare<[Asked & Part], { slug: string; node_id: string }>(
    `${uses} SELECT DISTINCT workflow_id, slug, node_id FROM uses WHERE is_visible
     ORDER BY workflow_id DESC, node_id LIMIT @limit OFFSET @offset`,
  );
  const count = connection.prepare<[Asked], { total: number; hasHidden: 0 | 1 }>(
    `${uses} SELECT (SELECT count(*) FROM (SELECT DISTINCT workflow_id, node_id FROM uses WHERE is_visible)) AS total,
       EXISTS (SELECT 1 FROM uses WHERE NOT is_visible) AS hasHidden`,
  );
  const used = connection.prepare<[Asked], { credential_id: number }>(
    `${uses} SELECT DISTINCT credential_id FROM uses ORDER BY credential_id`,
  );
  return {
    read({ ids, viewerId, limit, offset }) {
      const asked = { ids: JSON.stringify(ids), viewerId };
      const { total, hasHidden } = expectRow(count.get(asked));
      return { items: list.all({ ...asked, limit, offset }).map(toUse), total, hasHidden: hasHidden === 1 };
    },
    used: (ids) => used.all({ ids: JSON.stringify(ids), viewerId: nobody }).map((row) => row.credential_id),
  };
}

function toUse(row: { readonly slug: string; readonly node_id: string }): CredentialUse {
  return { workflowSlug: row.slug, nodeId: row.node_id };
}
