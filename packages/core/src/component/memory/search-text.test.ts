import { expect, test } from 'vitest';
import { searchText } from './search-text.ts';

test.each([
  ['Café', 'cafe'],
  ['Cafe\u0301', 'cafe'],
  ['İstanbul', 'istanbul'],
  ['한국어', '한국어'],
  ['👍🏽 DONE', '👍🏽 done'],
])('%j is compared as %j', (text, plain) => {
  expect(searchText(text)).toBe(plain);
});
