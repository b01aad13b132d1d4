import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WeighedCache } from './weighed-cache.ts';

describe('a cache with a limit for memory', () => {
  test('drops the least recently used values when they take too much memory', () => {
    const cache = new WeighedCache<string, number>(10);
    cache.set('a', 1, 4);
    cache.set('b', 2, 4);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3, 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.bytes]).toEqual([1, undefined, 3, 8]);
  });

  test('keeps the newest value alone if that is larger than the limit', () => {
    const cache = new WeighedCache<string, number>(10);
    cache.set('a', 1, 4);
    cache.set('b', 2, 11);
    expect([cache.get('a'), cache.get('b'), cache.bytes]).toEqual([undefined, 2, 11]);
    cache.set('c', 3, 4);
    expect([cache.get('b'), cache.get('c'), cache.bytes]).toEqual([undefined, 3, 4]);
  });

  test('counts exactly what it stores, and exceeds its limit only by its newest value', () => {
    const step = fc.record({ key: fc.nat(5), bytes: fc.nat(22), isDeletion: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new WeighedCache<number, number>(20);
        for (const { key, bytes, isDeletion } of steps) {
          if (isDeletion) cache.delete(key);
          else cache.set(key, bytes, bytes);
          const stored = [0, 1, 2, 3, 4, 5].map((known) => cache.get(known)).filter((value) => value !== undefined);
          expect(stored.reduce((sum, value) => sum + value, 0)).toBe(cache.bytes);
          if (cache.bytes > 20) expect(stored).toHaveLength(1);
        }
      }),
    );
  });
});
