import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findWord,
  fromBytes,
  hashOf,
  toBytes,
  type WordBlock,
  withoutWords,
  withWords,
  wordsOf,
} from './word-block.ts';

const number = 5;
const word = fc.constantFrom('red', 'green', 'blue', 'a');
const fact = fc.record({
  place: fc.nat({ max: 15 }),
  key: fc.array(word, { maxLength: 3 }).map((words) => words.join('_')),
  value: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
  isDeleted: fc.boolean(),
});

function found(block: WordBlock, text: string): string[] {
  const all: string[] = [];
  findWord(block, { hash: hashOf(text), number }, (id, isInKey) => all.push(`${id} ${isInKey}`));
  return all.sort();
}

test('a block has the words of the facts that were added last and not deleted', () => {
  fc.assert(
    fc.property(fc.array(fact), (changes) => {
      let block = fromBytes(undefined);
      const facts = new Map<number, { readonly key: string; readonly value: string }>();
      for (const { place, key, value, isDeleted } of changes) {
        const id = number * 16 + place;
        block = isDeleted ? withoutWords(block, id) : withWords(block, id, wordsOf({ id, key, value }));
        if (isDeleted) facts.delete(id);
        else facts.set(id, { key, value });
      }
      expect([...block]).toEqual([...block].sort((a, b) => a - b));
      const read = fromBytes(toBytes(block));
      for (const text of ['red', 'green', 'blue', 'a']) {
        const wanted = [...facts].flatMap(([id, { key, value }]) => [
          ...(key.split('_').includes(text) ? [`${id} true`] : []),
          ...(value.split(' ').includes(text) ? [`${id} false`] : []),
        ]);
        expect(found(read, text)).toEqual(wanted.sort());
      }
    }),
  );
});

test('different words have different hashes', () => {
  const words = Array.from({ length: 200_000 }, (_none, n) => n.toString(36));
  expect(new Set(words.map(hashOf)).size).toBe(words.length);
});
