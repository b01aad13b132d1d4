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

it('agrees with the text of the values once their keys are sorted', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(isSameJson(a, b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
    }),
  );
});

it('finds a copy the same, whatever the order of its keys', () => {
  fc.assert(fc.property(json, (value) => isSameJson(value, JSON.parse(JSON.stringify(sorted(value))))));
});

it('tells a missing key from one that is inherited', () => {
  expect(isSameJson({ toString: null }, { other: null })).toBe(false);
  // Every object inherits an empty one under this name.
  expect(isSameJson(JSON.parse('{"__proto__": {}}'), { other: {} })).toBe(false);
});
