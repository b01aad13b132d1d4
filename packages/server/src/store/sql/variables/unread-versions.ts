import type { Connection } from '../database/connection.ts';

/** Deletes the sets of variables after this id that no run reads, and the values that only they contained. */
export type PruneVariables = (params: {
  readonly afterId: number;
  /** Sets to examine. */
  readonly limit: number;
}) => { readonly nextId: number | null };

/** Prepares the deletion, in a transaction in progress. */
export function preparePruneVariables(connection: Connection): PruneVariables {
  const examined = connection.prepare<[number, number], { id: number; is_read: 0 | 1 }>(
    `SELECT id, EXISTS (SELECT 1 FROM run_variables r WHERE r.set_id = s.id) AS is_read
     FROM variable_sets s WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const versions = connection.prepare<[number], { version_id: number }>(
    'SELECT version_id FROM variable_set_values WHERE set_id = ?',
  );
  const removeSet = connection.prepare<[number]>('DELETE FROM variable_sets WHERE id = ?');
  const removeVersion = connection.prepare<[number]>(
    `DELETE FROM variable_versions AS s WHERE id = ?
       AND NOT EXISTS (SELECT 1 FROM variable_set_values v WHERE v.version_id = s.id)`,
  );
  return ({ afterId, limit }) => {
    const sets = examined.all(afterId, limit);
    for (const { id } of sets.filter(({ is_read }) => is_read === 0)) {
      const values = versions.all(id);
      removeSet.run(id);
      for (const { version_id: versionId } of values) removeVersion.run(versionId);
    }
    return { nextId: sets.length < limit ? null : (sets.at(-1)?.id ?? null) };
  };
}
