import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runThrough } from '../base/meter.ts';
import type { Json } from '../json.ts';
import { converted, type DataType, dataTypes, fits, isSubComponentType } from './ports.ts';

const types = fc.constantFrom(...dataTypes);

describe('an input', () => {
  test.each(['object', 'array'] as const)('that accepts only text does not accept %s', (type) => {
    expect(fits(type, { dataType: 'text', isTextOnly: true })).toBe(false);
  });

  test.each(['text', 'number', 'boolean', 'any'] as const)('that accepts only text accepts %s', (type) => {
    expect(fits(type, { dataType: 'text', isTextOnly: true })).toBe(true);
  });

  test('accepts its own type', () => {
    for (const type of dataTypes) expect(fits(type, { dataType: type })).toBe(true);
  });

  test.each([
    ['number', 'text', true],
    ['boolean', 'text', true],
    ['object', 'text', true],
    ['array', 'text', true],
    ['file', 'text', false],
    ['text', 'number', false],
    ['any', 'array', true],
    ['array', 'any', true],
    ['llm', 'any', false],
    ['any', 'tool', false],
    ['llm', 'tool', false],
  ] as const)('from %s to %s: %s', (source, target, expected) => {
    expect(fits(source, { dataType: target })).toBe(expected);
  });

  test('of a sub-component type accepts nothing else, and such an output matches no other input', () => {
    fc.assert(
      fc.property(types, types, (a, b) => {
        if (a === b || (!isSubComponentType(a) && !isSubComponentType(b))) return;
        expect(fits(a, { dataType: b })).toBe(false);
      }),
    );
  });
});

/** Values of each type that can be recognized from a value. */
const samples: Readonly<Partial<Record<DataType, fc.Arbitrary<Json>>>> = {
  text: fc.string(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  object: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Json>,
  array: fc.array(fc.jsonValue()) as fc.Arbitrary<Json>,
};
const kinds = Object.keys(samples) as DataType[];

function kindOf(value: Json): string {
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'array' : typeof value;
}

const inputFor = (...given: Parameters<typeof converted>): Json => runThrough(converted(...given));

describe('a run converts a value', () => {
  test.each([
    undefined,
    true,
  ] as const)('to the type of the input exactly if the types match (text only: %s)', (only) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds).chain((kind) => fc.tuple(fc.constant(kind), samples[kind] ?? fc.string())),
        fc.constantFrom(...kinds),
        ([source, value], dataType) => {
          const input = { dataType, ...(only === true && { isTextOnly: only }) };
          expect(kindOf(inputFor(value, input)) === dataType).toBe(fits(source, input));
        },
      ),
    );
  });

  test.each([
    [{ a: [1] }, '{"a":[1]}'],
    [[1, 'b'], '[1,"b"]'],
    [1.5, '1.5'],
    [false, 'false'],
    ['text', 'text'],
    [null, null],
  ] as const)('from %j to the text %j', (value, text) => {
    expect(inputFor(value as Json, { dataType: 'text' })).toBe(text);
  });

  test('to no other type', () => {
    fc.assert(
      fc.property(fc.jsonValue(), types, (value, dataType) => {
        if (dataType !== 'text') expect(inputFor(value as Json, { dataType })).toBe(value);
      }),
    );
  });
});
