import { isSameJson, type Json } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences, shown } from './difference.ts';
import { isExpected } from './matching.ts';

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('an expected value', () => {
  it('matches regardless of key order', () => {
    expect(isExpected({ a: 1, b: [null, { c: 'x' }] }, { b: [null, { c: 'x' }], a: 1 })).toBe(true);
    fc.assert(fc.property(json, json, (left, right) => isExpected(left, right) === isSameJson(left, right)));
    fc.assert(fc.property(json, (value) => isExpected(value, value)));
  });

  it('differs at the reported places', () => {
    const at = (expected: Json, came: Json | undefined) =>
      differences(expected, came, 'x').map((one) => `${one.at}: ${one.expected}, ${one.came}`);
    expect(at({ a: 1, b: [1, { c: 2 }] }, { a: 2, b: [1, { c: 3 }], d: 4 })).toEqual([
      'x.a: 1, 2',
      'x.b[1].c: 2, 3',
      'x.d: nothing, 4',
    ]);
    expect(at([1, 2], [1])).toEqual(['x[1]: 2, nothing']);
    expect(at([1], [2, 3])).toEqual(['x[0]: 1, 2', 'x[1]: nothing, 3']);
    expect(at(null, undefined)).toEqual(['x: null, nothing']);
    expect(at({ constructor: 1 }, {})).toEqual(['x.constructor: 1, nothing']);
    expect(at('a', ['a'])).toEqual(['x: "a", ["a"]']);
  });
});

describe('an expected part', () => {
  it.each<[Json, Json]>([
    ['ell', 'hello'],
    ['', ''],
    [
      ['a', { b: { contains: 1 } }],
      [{ b: [2, 1] }, 'c', 'a'],
    ],
    ['a', ['b', 'a']],
    [[], []],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: { contains: 'x' } }, { a: 'xyz', b: 2 }],
    [{ contains: 5 }, { contains: 5 }],
    [{}, { a: 1 }],
  ])('%j is in %j', (part, whole) => {
    expect(isExpected({ contains: part }, whole)).toBe(true);
  });

  it.each<[Json, Json | undefined]>([
    ['ell', 'help'],
    ['1', 1],
    [1, 1],
    [['a', 'b'], ['a']],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, [{ a: 2 }]],
    [{ toString: 1 }, {}],
    ['a', undefined],
    [null, null],
  ])('%j is not in %j', (part, whole) => {
    expect(isExpected({ contains: part }, whole)).toBe(false);
  });
});

it('a long value is shown by its beginning', () => {
  expect(shown('x'.repeat(1000))).toBe(`"${'x'.repeat(299)}…`);
});
