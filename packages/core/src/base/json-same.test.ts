import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { isSameJson } from './json-same.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

it('agrees with the JSON text of the values after their keys are sorted', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(isSameJson(a, b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
    }),
  );
});

it('treats a copy as the same in any order of its keys', () => {
  fc.assert(fc.property(json, (value) => isSameJson(value, JSON.parse(JSON.stringify(sorted(value))))));
});

it('distinguishes a missing key from an inherited one', () => {
  expect(isSameJson({ toString: null }, { other: null })).toBe(false);
  // Every object inherits an empty object under this name.
  expect(isSameJson(JSON.parse('{"__proto__": {}}'), { other: {} })).toBe(false);
});
