import { expect, test } from 'vitest';
import { exceedsFact, maxFactValue, maxFactWords, searchableText, searchWords } from './facts.ts';

test('the words of a search are its different words, without punctuation', () => {
  const words = (query: string) => searchWords(query).map(({ word }) => word);
  expect(words('Where is ORDER-17, where?')).toEqual(['where', 'is', 'order', '17']);
  expect(words('"*" - ()')).toEqual([]);
  expect(words('Ünïcode naïve \u0301')).toHaveLength(3);
  expect(searchWords('in Rom')).toEqual([
    { word: 'in', isBeginning: false },
    { word: 'rom', isBeginning: true },
  ]);
  expect(searchWords(Array.from({ length: 50 }, (_none, n) => `w${n}`).join(' '))).toHaveLength(maxFactWords);
});

test('a search finds the names, texts and numbers in a value', () => {
  expect(searchableText('a b').split(' ')).toEqual(['a', 'b']);
  const texts = searchableText({ city: 'Bern', of: [{ deep: 4.5 }, null, true] }).split(' ');
  expect(new Set(texts)).toEqual(new Set(['city', 'Bern', 'of', 'deep', '4.5', 'true']));
});

test('a value is too large by the length of its JSON', () => {
  expect(exceedsFact('x'.repeat(maxFactValue - 2))).toBe(false);
  expect(exceedsFact('x'.repeat(maxFactValue - 1))).toBe(true);
  expect(exceedsFact('"'.repeat(maxFactValue / 2))).toBe(true);
});
