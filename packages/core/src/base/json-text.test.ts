import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isArray, type Json } from '../json.ts';
import { isDeeperThan } from './json-depth.ts';
import { exceededLimit } from './json-text.ts';

const unlimited = Number.POSITIVE_INFINITY;

/** At least the number of values of a JSON text: an empty list or object counts like one with a value. */
function mostValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = isArray(value) ? value : Object.values(value);
  return 1 + Math.max(1, parts.length) - 1 + parts.reduce<number>((sum, part) => sum + mostValues(part), 1);
}

describe('the limits of a JSON text', () => {
  test('a nested value exceeds the limit of depth exactly if it is deeper', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), fc.nat(2), (given, depth, indent) => {
        const value = given as Json;
        const found = exceededLimit(JSON.stringify(value, null, indent), { depth, values: unlimited });
        expect(found).toBe(isDeeperThan(value, depth) ? 'depth' : null);
      }),
      { numRuns: 1000 },
    );
  });

  test('no text exceeds a limit of as many values as it has', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const limits = { depth: unlimited, values: mostValues(value as Json) };
        expect(exceededLimit(JSON.stringify(value), limits)).toBeNull();
      }),
    );
  });

  test.each([
    ['[1,2,3]', 4],
    ['{"a":1,"b":[]}', 4],
    ['[[],[],[]]', 7],
    ['"[,,,"', 1],
    ['["\\",,,\\\\",1]', 3],
  ])('%s has about %i values', (text, values) => {
    expect(exceededLimit(text, { depth: 64, values })).toBeNull();
    expect(exceededLimit(text, { depth: 64, values: values - 1 })).toBe('values');
  });
});
