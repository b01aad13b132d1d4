import { maxFactsOfWord, searchWords } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import { inKey, inValue } from '../database/indexed-fact.ts';

/** Returns the ids of the facts of a space that have one of the words of a query, the best first. */
export function prepareFactSearch(connection: Connection): (spaceId: number, query: string) => readonly number[] {
  const withWord = connection
    .prepare<[string, number], number>(
      'SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?',
    )
    .pluck();
  // The words have letters and digits only and are quoted: nothing in them has a meaning in the language of a search.
  const idsWith = (word: string) => withWord.all(`"${word}"`, maxFactsOfWord);
  return (spaceId, query) => {
    const scores = new Map<number, number>();
    const add = (ids: readonly number[], score: number) => {
      for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + score);
    };
    for (const word of searchWords(query)) {
      const [keys, values] = [idsWith(inKey(spaceId, word)), idsWith(inValue(spaceId, word))];
      // A rare word counts more than a frequent one, and one in a key twice as much as one in a value.
      const score = Math.log(1 + maxFactsOfWord / (keys.length + values.length));
      add(keys, 2 * score);
      add(values, score);
    }
    const found = [...scores].sort(([id, score], [otherId, otherScore]) => otherScore - score || otherId - id);
    return found.map(([id]) => id);
  };
}
