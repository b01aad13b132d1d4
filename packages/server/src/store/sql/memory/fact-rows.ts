import { formatInstant, type Instant, type Json, type MemoryFact, maxFacts, parseInstant } from '@millrace/core';
import type { StoredSpace } from '../../memory.ts';
import type { Connection } from '../database/connection.ts';
import { indexOf } from '../database/indexed-fact.ts';
import { prepareOwnerOf } from './owner-of.ts';

/** Facts that are deleted in one transaction: a few milliseconds, 20 for the largest ones. */
export const factsPerRemoval = 50;

/** The columns that identify a space. */
type SpaceColumns = readonly [workflowId: number, ownerId: number, userId: string];

/** A row of a fact. */
export interface FactRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Writes facts and their words, in a transaction that is under way. */
export interface FactRows {
  /** Undefined while nothing is stored in it. */
  spaceId(space: StoredSpace): number | undefined;
  find(space: StoredSpace, key: string): MemoryFact | null;
  put(
    space: StoredSpace,
    fact: { readonly key: string; readonly value: Json; readonly at: Instant },
  ): MemoryFact | 'full';
  remove(space: StoredSpace, key: string): boolean;
  /** Deletes some facts of a space. Returns how many. */
  removeSome(space: StoredSpace, count: number): number;
}

/** Prepares the statements on facts. */
export function prepareFactRows(connection: Connection): FactRows {
  const sql = statements(connection);
  const ownerOf = prepareOwnerOf(connection);
  const columnsOf = (space: StoredSpace): SpaceColumns =>
    space.scope === 'workflow'
      ? [space.workflowId, 0, '']
      : [0, ownerOf(space), space.scope === 'user' ? space.userId : ''];
  const spaceId = (space: StoredSpace) => sql.space.get(...columnsOf(space))?.id;
  const rowOf = (space: StoredSpace, key: string): FactRow | undefined => {
    const id = spaceId(space);
    return id === undefined ? undefined : sql.find.get(id, key);
  };
  const idFor = (space: StoredSpace): number => {
    const columns = columnsOf(space);
    sql.addSpace.run(...columns);
    const id = sql.space.get(...columns)?.id;
    if (id === undefined) throw new Error('a space that was stored is missing');
    return id;
  };
  return {
    spaceId,
    find(space, key) {
      const row = rowOf(space, key);
      return row === undefined ? null : toFact(row);
    },
    put(space, { key, value, at }) {
      const space_id = idFor(space);
      if (sql.find.get(space_id, key) === undefined && (sql.count.get(space_id)?.n ?? 0) >= maxFacts) return 'full';
      const time = formatInstant(at);
      const row = sql.put.get(space_id, key, JSON.stringify(value), time, time);
      if (row === undefined) throw new Error('a fact that was stored is missing');
      sql.putWords.run(row.id, indexOf(space_id, key, value));
      return toFact(row);
    },
    remove(space, key) {
      const row = rowOf(space, key);
      if (row === undefined) return false;
      sql.remove.run(row.id);
      return true;
    },
    removeSome(space, count) {
      const id = spaceId(space);
      return id === undefined ? 0 : sql.removeSome.run(id, count).changes;
    },
  };
}

function statements(connection: Connection) {
  return {
    space: connection.prepare<[...SpaceColumns], { id: number }>(
      'SELECT id FROM memory_spaces WHERE workflow_id = ? AND owner_id = ? AND user_id = ?',
    ),
    addSpace: connection.prepare<[...SpaceColumns]>(
      'INSERT INTO memory_spaces (workflow_id, owner_id, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    find: connection.prepare<[number, string], FactRow>(
      `SELECT ${factColumns} FROM memory_facts WHERE space_id = ? AND key = ?`,
    ),
    count: connection.prepare<[number], { n: number }>('SELECT count(*) AS n FROM memory_facts WHERE space_id = ?'),
    put: connection.prepare<[number, string, string, string, string], FactRow>(
      `INSERT INTO memory_facts (space_id, key, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at RETURNING ${factColumns}`,
    ),
    putWords: connection.prepare<[number, string]>('INSERT OR REPLACE INTO memory_words (rowid, words) VALUES (?, ?)'),
    remove: connection.prepare<[number]>('DELETE FROM memory_facts WHERE id = ?'),
    removeSome: connection.prepare<[number, number]>(
      'DELETE FROM memory_facts WHERE id IN (SELECT id FROM memory_facts WHERE space_id = ? LIMIT ?)',
    ),
  };
}

/** The columns of a fact. */
export const factColumns = 'id, key, value, created_at, updated_at';

/** A fact as its row has it. */
export function toFact({ key, value, created_at, updated_at }: FactRow): MemoryFact {
  return {
    key,
    value: JSON.parse(value) as Json,
    createdAt: parseInstant(created_at),
    updatedAt: parseInstant(updated_at),
  };
}
