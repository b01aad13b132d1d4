import { formatInstant, type Instant, type Json, type StateEntry, type StateKey } from '@millrace/core';
import { formatInstantOrNull, parseInstantOrNull } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';

/** Where a value is stored: the columns of its primary key. */
export type StateSpace = readonly [workflowId: number, ownerId: number, scope: string, key: string];

/** Reads and writes values of state, in a transaction that is under way. */
export interface StateTable {
  /** The workflow or scope whose values a workflow uses; undefined if the workflow was deleted. */
  spaceOf(workflowId: number, key: StateKey): StateSpace | undefined;
  /** Returns an expired value, too: the caller decides. */
  read(space: StateSpace): StateEntry | null;
  write(space: StateSpace, entry: StateEntry | null | 'same', at: Instant): void;
}

/** Expired values deleted with each new one that expires: more than are added, so that they do not accumulate. */
const expiredPerWrite = 10;

/** Prepares the statements on values of state. */
export function prepareStateTable(connection: Connection): StateTable {
  const sql = statements(connection);
  return {
    spaceOf(workflowId, { scope, key }) {
      if (scope === null) return [workflowId, 0, '', key];
      const owner = sql.owner.get(workflowId);
      return owner === undefined ? undefined : [0, owner.owner_id, scope, key];
    },
    read(space) {
      const row = sql.find.get(...space);
      if (row === undefined) return null;
      return { value: JSON.parse(row.value) as Json, expiresAt: parseInstantOrNull(row.expires_at) };
    },
    write(space, entry, at) {
      if (entry === 'same') return;
      if (entry === null) sql.remove.run(...space);
      else sql.put.run(...space, JSON.stringify(entry.value), formatInstantOrNull(entry.expiresAt));
      if (entry !== null && entry.expiresAt !== null) sql.removeExpired.run(formatInstant(at), expiredPerWrite);
    },
  };
}

function statements(connection: Connection) {
  const here = 'workflow_id = ? AND owner_id = ? AND scope = ? AND key = ?';
  return {
    owner: connection.prepare<[number], { owner_id: number }>('SELECT owner_id FROM workflows WHERE id = ?'),
    find: connection.prepare<[...StateSpace], { value: string; expires_at: string | null }>(
      `SELECT value, expires_at FROM state_values WHERE ${here}`,
    ),
    put: connection.prepare<[...StateSpace, string, string | null]>(
      `INSERT INTO state_values (workflow_id, owner_id, scope, key, value, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
    ),
    remove: connection.prepare<[...StateSpace]>(`DELETE FROM state_values WHERE ${here}`),
    removeExpired: connection.prepare<[string, number]>(
      `DELETE FROM state_values WHERE (workflow_id, owner_id, scope, key) IN (
         SELECT workflow_id, owner_id, scope, key FROM state_values WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`,
    ),
  };
}
