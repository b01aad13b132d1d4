import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isArray, type Json } from '../json.ts';
import { isDeeperThan } from './json-depth.ts';
import { exceededLimit, type JsonLimits } from './json-text.ts';

const unlimited = Number.POSITIVE_INFINITY;
const none: JsonLimits = {
  depth: unlimited,
  values: unlimited,
  containers: unlimited,
  names: unlimited,
  stringLength: unlimited,
};

function exceeded(text: string, limits: Partial<JsonLimits>): keyof JsonLimits | null {
  return exceededLimit(text, { ...none, ...limits });
}

/** The number of values, where an empty list or object counts like one with a value. */
function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = isArray(value) ? value : Object.values(value);
  return 1 + Math.max(1, parts.length) + parts.reduce<number>((sum, part) => sum + countOf(part) - 1, 0);
}

/** The lists and objects in a value. */
function containersOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + containersOf(part), 1);
}

/** The sequences of names with which the objects in a value begin, each once. */
function shapesOf(value: Json, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  const names = isArray(value) ? [] : Object.keys(value);
  for (const index of names.keys()) found.add(JSON.stringify(names.slice(0, index + 1)));
  for (const part of Object.values(value)) shapesOf(part, found);
  return found;
}

// Texts and keys with brackets, quotes and backslashes, which a scan could mistake for structure.
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', ',', ':', 'a', 'é', '😀', '\n'),
  maxLength: 8,
});
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('the limits of a JSON text', () => {
  test('a nested value exceeds the limit of depth exactly if it is deeper', () => {
    fc.assert(
      fc.property(value, fc.nat(7), fc.nat(3), (nested, depth, indent) => {
        const found = exceeded(JSON.stringify(nested, null, indent), { depth });
        expect(found).toBe(isDeeperThan(nested, depth) ? 'depth' : null);
      }),
      { numRuns: 1000 },
    );
  });

  test('a text exceeds the limit of values by one value', () => {
    fc.assert(
      fc.property(value, (nested) => {
        const json = JSON.stringify(nested);
        expect(exceeded(json, { values: countOf(nested) })).toBeNull();
        // A text shorter than the limit is not scanned.
        if (json.length >= countOf(nested)) expect(exceeded(json, { values: countOf(nested) - 1 })).toBe('values');
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['[1,2,3]', 4],
    ['{"a":1,"b":[]}', 4],
    ['[[],[],[]]', 7],
    ['"[,,,"', 1],
    ['["\\",,,\\\\",1]', 3],
  ])('%s has %i values', (json, values) => {
    expect(exceeded(json, { values })).toBeNull();
    expect(exceeded(json, { values: values - 1 })).toBe('values');
  });

  test.each([
    ['["abc","de"]', 4],
    ['["abcd","de"]', 5],
    ['{"abcd":1}', 5],
    ['["\\"\\""]', 5],
    ['["é"]', 2],
    ['"abcdef', 7],
  ])('the longest string of %s has %i characters in its escaped form, with one quote', (json, length) => {
    expect(exceeded(json, { stringLength: length })).toBeNull();
    expect(exceeded(json, { stringLength: length - 1 })).toBe('stringLength');
  });

  test('a text exceeds the limit of lists and objects by one of them', () => {
    fc.assert(
      fc.property(value, (nested) => {
        const json = JSON.stringify(nested);
        const containers = containersOf(nested);
        expect(exceeded(json, { containers })).toBeNull();
        if (json.length > 2 * (containers - 1)) {
          expect(exceeded(json, { containers: containers - 1 })).toBe(containers === 0 ? null : 'containers');
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('a text exceeds the limit of names by one that follows other names than before', () => {
    fc.assert(
      fc.property(value, (nested) => {
        const json = JSON.stringify([nested, nested, 'at least three characters for each name'.repeat(10)]);
        const names = shapesOf(nested).size;
        expect(exceeded(json, { names })).toBeNull();
        if (names > 0) expect(exceeded(json, { names: names - 1 })).toBe('names');
      }),
      { numRuns: 1000 },
    );
  });

  test('the rows of a table count the names of one row', () => {
    const rows = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, name: 'x', tags: [{ id }] })));
    expect(exceeded(rows, { names: 3 })).toBeNull();
    expect(exceeded(rows, { names: 2 })).toBe('names');
  });

  test('only strings have a length', () => expect(exceeded('[123456,true,null]', { stringLength: 1 })).toBeNull());

  test('the scan ends for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (any) => void exceededLimit(any, none)));
  });
});
