import { type MemoryFact, searchWords } from '@millrace/core';
import type { MemoryStore, StoredSpace } from '../../memory.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { type FactRow, factColumns, factsPerRemoval, prepareFactRows, spaceWord, toFact } from './fact-rows.ts';
import { preparePeople, preparePeopleLists } from './people.ts';

/** The verbs of memory on SQLite. */
export function memoryStore(connection: Connection, writer: Writer): MemoryStore {
  const rows = prepareFactRows(connection);
  const lists = prepareLists(connection);
  const identify = preparePeople(connection);
  const peopleLists = preparePeopleLists(connection);
  const clear = async (space: StoredSpace): Promise<void> => {
    for (;;) {
      const removed = await writer.submit(() => rows.removeSome(space, factsPerRemoval));
      if (removed < factsPerRemoval) return;
    }
  };
  return {
    find: ({ space, key }) => connection.read(() => rows.find(space, key)),
    list: ({ space, query, ...part }) =>
      connection.read(() => {
        const spaceId = rows.spaceId(space);
        if (spaceId === undefined) return { items: [], total: 0 };
        const match = query === null ? null : matchOf(spaceId, query);
        // A query without words finds nothing.
        if (match === '') return { items: [], total: 0 };
        return match === null ? lists.newest(spaceId, part) : lists.best(match, part);
      }),
    put: ({ space, ...fact }) => writer.submit(() => rows.put(space, fact)),
    remove: ({ space, key }) => writer.submit(() => rows.remove(space, key)),
    identify: (params) => writer.submit(() => identify(params)),
    clear: ({ space }) => clear(space),
    people: (params) => connection.read(() => peopleLists.list(params)),
    async forget({ ownerId, userId }) {
      await writer.submit(() => peopleLists.remove(ownerId, userId));
      await clear({ scope: 'user', ownerId, userId });
    },
  };
}

interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly characters?: number;
}

function prepareLists(connection: Connection) {
  // Ids first: a sorted list of values could be as large as all facts of the space.
  const newest = connection
    .prepare<[number, number, number], number>(
      'SELECT id FROM memory_facts WHERE space_id = ? ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?',
    )
    .pluck();
  const count = connection.prepare<[number], { n: number }>(
    'SELECT count(*) AS n FROM memory_facts WHERE space_id = ?',
  );
  // A word in a key counts twice as much as one in a value; the word of the space does not count.
  const best = connection
    .prepare<[string, number, number], number>(
      `SELECT rowid FROM memory_words WHERE memory_words MATCH ?
       ORDER BY bm25(memory_words, 0.0, 2.0, 1.0), rowid DESC LIMIT ? OFFSET ?`,
    )
    .pluck();
  const found = connection.prepare<[string], { n: number }>(
    'SELECT count(*) AS n FROM memory_words WHERE memory_words MATCH ?',
  );
  const byId = connection.prepare<[number], FactRow>(`SELECT ${factColumns} FROM memory_facts WHERE id = ?`);
  const page = (ids: readonly number[], total: { readonly n: number } | undefined, characters = Infinity) => {
    const items: MemoryFact[] = [];
    let size = 0;
    for (const id of ids) {
      const row = byId.get(id);
      if (row === undefined) continue;
      size += row.value.length;
      if (size > characters && items.length > 0) break;
      items.push(toFact(row));
    }
    return { items, total: total?.n ?? 0 };
  };
  return {
    newest: (spaceId: number, { limit, offset, characters }: Part) =>
      page(newest.all(spaceId, limit, offset), count.get(spaceId), characters),
    best: (match: string, { limit, offset, characters }: Part) =>
      page(best.all(match, limit, offset), found.get(match), characters),
  };
}

/**
 * A search in the language of FTS5: facts of the space with one of the words. Empty if the query has no words. The words
 * have letters and digits only and are quoted, so nothing in them has a meaning in that language.
 */
function matchOf(spaceId: number, query: string): string {
  const words = searchWords(query).map(({ word, isBeginning }) => `"${word}"${isBeginning ? '*' : ''}`);
  return words.length === 0 ? '' : `space : "${spaceWord(spaceId)}" AND {key value} : (${words.join(' OR ')})`;
}
