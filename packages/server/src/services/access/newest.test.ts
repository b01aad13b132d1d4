import { expect, test } from 'vitest';
import { Newest } from './newest.ts';

const keysOf = (newest: Newest<string, number>) => ['a', 'b', 'c', 'd'].filter((key) => newest.has(key));

test('a full map drops the entries that were set first', () => {
  const newest = new Newest<string, number>(2);
  newest.set('a', 1);
  newest.set('b', 2);
  newest.set('a', 3);
  newest.set('c', 4);
  expect(keysOf(newest)).toEqual(['a', 'c']);
  expect(newest.get('a')).toBe(3);
  newest.delete('a');
  newest.set('d', 5);
  expect(keysOf(newest)).toEqual(['c', 'd']);
  newest.clear();
  expect(keysOf(newest)).toEqual([]);
});
