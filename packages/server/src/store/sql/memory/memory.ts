import type { MemoryFact, SlicedWork } from '@millrace/core';
import type { MemoryStore, StoredSpace } from '../../memory.ts';
import type { Page } from '../../page.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { type FactRow, factColumns, prepareFactRows, toFact } from './fact-rows.ts';
import { prepareFactSearch } from './fact-search.ts';
import { preparePeople, preparePeopleLists } from './people.ts';

/** The verbs of memory on SQLite. */
export function memoryStore(connection: Connection, writer: Writer): MemoryStore {
  const rows = prepareFactRows(connection);
  const lists = prepareLists(connection);
  const search = prepareFactSearch(connection);
  const identify = preparePeople(connection);
  const peopleLists = preparePeopleLists(connection);
  const clear = async (space: StoredSpace): Promise<void> => {
    for (;;) {
      const isMore = await writer.submit(() => rows.removeSome(space));
      if (!isMore) return;
    }
  };
  return {
    find: ({ space, key }) => connection.read(() => rows.find(space, key)),
    async list({ space, query, ...part }) {
      const spaceId = await connection.read(() => rows.spaceId(space));
      if (spaceId === undefined) return { items: [], total: 0 };
      if (query === null) return connection.readInSlices(lists.newest(spaceId, part));
      const ids = await connection.readInSlices(search(spaceId, query));
      return connection.readInSlices(lists.best(ids, part));
    },
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

/** Characters of values that are read in one slice: a millisecond or two. */
const sliceLength = 131_072;

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
  const byId = connection.prepare<[number], FactRow>(`SELECT ${factColumns} FROM memory_facts WHERE id = ?`);
  function* page(ids: readonly number[], total: number, characters = Infinity): SlicedWork<Page<MemoryFact>> {
    const items: MemoryFact[] = [];
    let [size, sinceSlice] = [0, 0];
    for (const id of ids) {
      const row = byId.get(id);
      if (row === undefined) continue;
      size += row.value.length;
      if (size > characters && items.length > 0) break;
      items.push(toFact(row));
      sinceSlice += row.value.length;
      if (sinceSlice < sliceLength) continue;
      sinceSlice = 0;
      yield;
    }
    return { items, total };
  }
  return {
    newest: (spaceId: number, { limit, offset, characters }: Part) =>
      page(newest.all(spaceId, limit, offset), count.get(spaceId)?.n ?? 0, characters),
    best: (ids: readonly number[], { limit, offset, characters }: Part) =>
      page(ids.slice(offset, offset + limit), ids.length, characters),
  };
}
