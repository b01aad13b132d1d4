import { formatInstant, type Instant, type Json, type MemoryFact, maxFacts, parseInstant } from '@millrace/core';
import type { StoredSpace } from '../../memory.ts';
import type { Connection } from '../database/connection.ts';
import {
  blockOf,
  factsPerBlock,
  fromBytes,
  toBytes,
  type WordBlock,
  withoutWords,
  withWords,
  wordsOf,
} from '../database/word-block.ts';
import { prepareOwnerOf } from './owner-of.ts';

/** Facts that are deleted in one transaction, at least: a few milliseconds for the largest ones. */
const factsPerRemoval = 2 * factsPerBlock;

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
  /** Deletes some facts of a space. Returns whether there are more. */
  removeSome(space: StoredSpace): boolean;
}

/** Prepares the statements on facts. */
export function prepareFactRows(connection: Connection): FactRows {
  const sql = statements(connection);
  const removeSome = prepareFactRemoval(connection);
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
  const setWords = (space_id: number, id: number, change: (block: WordBlock) => WordBlock): void => {
    const block = change(fromBytes(sql.words.get(space_id, blockOf(id))));
    if (block.length > 0) sql.putWords.run(space_id, blockOf(id), toBytes(block));
    else sql.removeWords.run(space_id, blockOf(id));
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
      const words = wordsOf({ id: row.id, key, value });
      setWords(space_id, row.id, (block) => withWords(block, row.id, words));
      return toFact(row);
    },
    remove(space, key) {
      const space_id = spaceId(space);
      const row = space_id === undefined ? undefined : sql.find.get(space_id, key);
      if (space_id === undefined || row === undefined) return false;
      sql.remove.run(row.id);
      setWords(space_id, row.id, (block) => withoutWords(block, row.id));
      return true;
    },
    removeSome(space) {
      const space_id = spaceId(space);
      return space_id !== undefined && removeSome(space_id);
    },
  };
}

/** Deletes some facts of a space, in a transaction that is under way. Returns whether there may be more. */
export function prepareFactRemoval(connection: Connection): (spaceId: number) => boolean {
  const first = connection.prepare<[number], { id: number }>(
    'SELECT id FROM memory_facts WHERE space_id = ? ORDER BY updated_at LIMIT 1',
  );
  const removeBlock = connection.prepare<[number, number, number]>(
    'DELETE FROM memory_facts WHERE +space_id = ? AND id >= ? AND id < ?',
  );
  const removeWords = prepareWordRemoval(connection);
  return (spaceId) => {
    for (let removed = 0; removed < factsPerRemoval; ) {
      const fact = first.get(spaceId);
      if (fact === undefined) return false;
      const block = blockOf(fact.id);
      removed += removeBlock.run(spaceId, block * factsPerBlock, (block + 1) * factsPerBlock).changes;
      removeWords.run(spaceId, block);
    }
    return true;
  };
}

function prepareWordRemoval(connection: Connection) {
  return connection.prepare<[number, number]>('DELETE FROM memory_words WHERE space_id = ? AND block = ?');
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
    words: connection
      .prepare<[number, number], Buffer>('SELECT words FROM memory_words WHERE space_id = ? AND block = ?')
      .pluck(),
    putWords: connection.prepare<[number, number, Buffer]>(
      `INSERT INTO memory_words (space_id, block, words) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET words = excluded.words`,
    ),
    removeWords: prepareWordRemoval(connection),
    remove: connection.prepare<[number]>('DELETE FROM memory_facts WHERE id = ?'),
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
