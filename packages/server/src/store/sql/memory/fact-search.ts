import { maxFacts, type SlicedWork, searchWords } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import { findWord, fromBytes, hashOf } from '../database/word-block.ts';

/** Bytes of words after which other work may continue: a search reads them in less than a millisecond. */
const sliceBytes = 1_048_576;

interface BlockRow {
  readonly block: number;
  readonly words: Buffer;
}

/** Where a word was found. */
interface Finds {
  readonly keys: number[];
  readonly values: number[];
}

/** Returns the ids of the facts of a space that have one of the words of a query, the best first. */
export function prepareFactSearch(connection: Connection): (spaceId: number, query: string) => SlicedWork<number[]> {
  const next = connection.prepare<[number, number], BlockRow>(
    'SELECT block, words FROM memory_words WHERE space_id = ? AND block > ? ORDER BY block LIMIT 1',
  );
  return function* (spaceId, query) {
    const wanted = searchWords(query).map((word) => ({ hash: hashOf(word), finds: { keys: [], values: [] } as Finds }));
    let read = 0;
    let row = wanted.length === 0 ? undefined : next.get(spaceId, -1);
    for (; row !== undefined; row = next.get(spaceId, row.block)) {
      const block = fromBytes(row.words);
      const number = row.block;
      for (const { hash, finds } of wanted)
        findWord(block, { hash, number }, (id, isInKey) => void (isInKey ? finds.keys : finds.values).push(id));
      read += row.words.length;
      if (read < sliceBytes) continue;
      read = 0;
      yield;
    }
    return bestOf(wanted.map(({ finds }) => finds));
  };
}

/** A rare word counts more than a frequent one, and one in a key twice as much as one in a value. */
function bestOf(words: readonly Finds[]): number[] {
  const scores = new Map<number, number>();
  const add = (ids: readonly number[], score: number) => {
    for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + score);
  };
  for (const { keys, values } of words) {
    const score = Math.log(1 + maxFacts / (keys.length + values.length));
    add(keys, 2 * score);
    add(values, score);
  }
  const found = [...scores].sort(([id, score], [otherId, otherScore]) => otherScore - score || otherId - id);
  return found.map(([id]) => id);
}
