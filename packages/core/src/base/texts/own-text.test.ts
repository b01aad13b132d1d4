import { describe, expect, test } from 'vitest';
import { ownPart, ownText, textStart } from './own-text.ts';

describe('the start of a text', () => {
  test('is the text if it is short enough, else its first characters', () => {
    expect(textStart('abc', 3)).toBe('abc');
    expect(textStart('abcd', 3)).toBe('abc');
    expect(textStart('', 0)).toBe('');
  });

  test('does not end within a surrogate pair', () => {
    expect(textStart('ab😀', 3)).toBe('ab\uFFFD');
  });
});

test('an own text is equal to its part', () => {
  expect(ownText('x'.repeat(50).slice(10, 40))).toBe('x'.repeat(30));
});

test('an own part is equal to the part, of a short text and of a long one', () => {
  for (const text of ['abcdef', 'x'.repeat(5000)])
    for (const [from, to] of [
      [0, 3],
      [2, 5],
      [0, 4000],
      [3, 3],
    ] as const)
      expect(ownPart(text.slice(from, to), text)).toBe(text.slice(from, to));
});
