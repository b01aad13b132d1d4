import { describe, expect, test } from 'vitest';
import { jsonDiff } from './json-diff.ts';
import { pathText } from './json-rows.ts';
import { sequenceDiff, textDiff } from './sequence-diff.ts';

const changes = (before: unknown, after: unknown) =>
  jsonDiff(before, after).map(({ kind, path }) => `${kind} ${pathText(path)}`);

describe('the differences of two values', () => {
  test('are the added, removed and changed keys at any depth', () => {
    expect(changes({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 4, e: 5 }, a: 1 })).toEqual([
      'changed .b.c',
      'removed .b.d',
      'added .b.e',
    ]);
    expect(changes({ a: [1] }, { a: { 0: 1 } })).toEqual(['changed .a']);
    expect(changes({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
  });

  test('an inserted item changes no other item of its list', () => {
    expect(changes(['a', 'b', 'c'], ['a', 'x', 'b', 'c'])).toEqual(['added [1]']);
    expect(changes(['a', 'b', 'c'], ['a', 'y', 'c'])).toEqual(['changed [1]']);
    expect(changes(['a', 'b', 'c'], ['c'])).toEqual(['removed [0]', 'removed [1]']);
  });

  test('an item that was only moved is one change', () => {
    expect(changes(['a', 'b', 'c'], ['b', 'c', 'a'])).toEqual(['moved [2]']);
  });

  test('items with ids are matched by them', () => {
    const before = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ];
    const after = [
      { id: 3, name: 'c' },
      { id: 1, name: 'A' },
      { id: 2, name: 'b' },
    ];
    expect(changes(before, after)).toEqual(['changed [1].name', 'added [0]']);
  });

  test('the list of differences ends after 500', () => {
    const list = (offset: number) => Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [i, i + offset]));
    expect(jsonDiff(list(0), list(1)).length).toBe(500);
  });
});

/** Milliseconds that the comparison takes: the best of three times, because the machine may be busy. */
function msOf(before: unknown, after: unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const began = performance.now();
    expect(jsonDiff(before, after).length).toBe(500);
    return performance.now() - began;
  });
  return Math.min(...times);
}

/** A third of a second on a machine of its own. Quadratic work takes minutes. */
const mostMs = 4000;

describe('large values are compared in linear time', () => {
  const numbers = (length: number, offset: number) => Array.from({ length }, (_, index) => index * 2 + offset);

  test('lists of 200,000 items each that have nothing in common', () => {
    expect(msOf(numbers(200_000, 0), numbers(200_000, 1))).toBeLessThan(mostMs);
  });

  test('lists of the same 200,000 items in opposite orders', () => {
    const items = numbers(200_000, 0);
    expect(msOf(items, items.toReversed())).toBeLessThan(mostMs);
  });

  test('400 lists of 1,000 items of which the first and the last differ', () => {
    const lists = (edge: number) => Array.from({ length: 400 }, (_, list) => [edge, ...numbers(1000, list), edge]);
    expect(msOf(lists(-1), lists(-2))).toBeLessThan(mostMs);
  });
});

describe('the differences of two texts', () => {
  test('are words, and the rest stays', () => {
    expect(textDiff('Send the order.', 'Send the big order!')).toEqual([
      { kind: 'same', text: 'Send the ' },
      { kind: 'added', text: 'big ' },
      { kind: 'same', text: 'order' },
      { kind: 'removed', text: '.' },
      { kind: 'added', text: '!' },
    ]);
  });

  test('of long texts are lines', () => {
    const lines = Array.from({ length: 1500 }, (_, index) => `line ${index}\n`);
    const diff = textDiff(lines.join(''), lines.with(700, 'other\n').join(''));
    expect(diff.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'removed', text: 'line 700\n' },
      { kind: 'added', text: 'other\n' },
    ]);
  });

  test('contain both texts completely, whatever they are', () => {
    let seed = 7;
    const next = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 4;
    };
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [0, 1].map(() => Array.from({ length: next() + next() + next() }, next)) as [
        number[],
        number[],
      ];
      const parts = sequenceDiff(before, after);
      const without = (kind: string) => parts.filter((part) => part.kind !== kind).flatMap(({ items }) => items);
      expect(without('added')).toEqual(before);
      expect(without('removed')).toEqual(after);
    }
  });
});
