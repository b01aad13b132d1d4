import { expect, test } from 'vitest';
import { indexedWords, maxFactWords, maxIndexedWords, searchWords } from './fact-words.ts';

test('the words of a search are its different words, in lower case, without accents and punctuation', () => {
  expect(searchWords('Where is ORDER-17, where?')).toEqual(['where', 'is', 'order', '17']);
  expect(searchWords('"*" - ()')).toEqual([]);
  expect(searchWords('Zo\u0308e Zoë İzmir favourite_colour')).toEqual(['zoe', 'izmir', 'favourite', 'colour']);
  expect(searchWords(Array.from({ length: 50 }, (_none, n) => `w${n}`).join(' '))).toHaveLength(maxFactWords);
});

test('each character of Chinese and Japanese is a word', () => {
  expect(indexedWords('Tokyo東京 がカ、서울')).toEqual(['tokyo', '東', '京', 'が', 'カ', '서울']);
});

test('a search finds the names, texts and numbers in a value, the first ones of a long one', () => {
  expect(indexedWords('a b a')).toEqual(['a', 'b']);
  const words = ['city', 'bern', 'of', 'deep', '4', '5', 'true'];
  expect(indexedWords({ city: 'Bern', of: [{ deep: 4.5 }, null, true] })).toEqual(words);
  const many = Array.from({ length: maxIndexedWords + 5 }, (_none, n) => `w${n}`);
  expect(indexedWords(many)).toEqual(many.slice(0, maxIndexedWords));
});
