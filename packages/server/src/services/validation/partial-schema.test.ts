import { type Json, type JsonObject, type PartlyKnown, unknownText, unknownValue } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compileSchema } from './json-schema.ts';
import { compilePartly } from './partial-schema.ts';

/** The issue of a value: `/pointer message`. */
function issueText(schema: JsonObject, value: PartlyKnown): string | null {
  const issue = compilePartly(schema)(value);
  return issue && `${issue.pointer} ${issue.message}`;
}

const contact = {
  type: 'object',
  required: ['email', 'age'],
  properties: { email: { type: 'string' }, age: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
  additionalProperties: false,
} as const;

describe('for a payload with unknown parts, the check', () => {
  test.each<[string, PartlyKnown, string | null]>([
    ['nothing, when all of it may fit', { email: unknownText, age: unknownValue, kind: unknownValue }, null],
    ['nothing, when it is unknown as a whole', unknownValue, null],
    ['that it is text', unknownText, ' must be object'],
    ['a name that is missing', { email: unknownText }, '/age is missing'],
    [
      'a name that is too much',
      { email: unknownText, age: 1, nme: 1 },
      '/nme is not one of the keys that the schema allows',
    ],
    ['text where a number is wanted', { email: 'x', age: unknownText }, '/age must be integer'],
    ['a known value of another type', { email: 5, age: unknownValue }, '/email must be string'],
    [
      'a known value that is none of those allowed',
      { email: unknownText, age: 1, kind: 'c' },
      '/kind must be one of "a", "b"',
    ],
  ])('reports %s', (_, value, expected) => {
    expect(issueText(contact, value)).toBe(expected);
  });

  test.each<[JsonObject, PartlyKnown]>([
    [{ const: { a: 1 } }, { a: unknownValue }],
    [{ not: { required: ['a'], properties: { a: { type: 'string' } } } }, { a: unknownValue }],
    [{ oneOf: [{ required: ['a'] }, { properties: { a: { type: 'string' } } }] }, { a: unknownValue }],
    [{ if: { properties: { a: { const: 1 } } }, else: { required: ['b'] } }, { a: unknownValue }],
    [{ uniqueItems: true }, [unknownValue, unknownValue, null]],
    [{ contains: { const: 1 } }, [unknownValue, 2]],
    [{ unevaluatedProperties: false, oneOf: [{ properties: { a: true } }] }, { a: unknownValue }],
    [{ dependentRequired: { type: ['not'] } }, { type: unknownValue, not: 1 }],
    [{ type: 'string', nullable: true }, unknownValue],
    [{ enum: [{ $ref: '#/x' }] }, { $ref: '#/x' }],
    [{ $ref: '#/oneOf/0', oneOf: [{ required: ['a'] }, { type: 'string' }] }, { a: unknownValue }],
  ])('reports nothing that may turn out to be valid: %j', (schema, value) => {
    expect(issueText(schema, value)).toBeNull();
  });

  it('follows references and finds what every alternative rejects', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: { node: { required: ['v'], properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } } },
    };
    expect(issueText(tree, { v: unknownValue, next: { v: unknownValue, next: {} } })).toMatch(
      '/next/next/v is missing',
    );
    const either = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(issueText(either, { c: unknownValue })).toMatch('is missing');
    expect(issueText({ ...either, anyOf: [{ required: ['c'] }] }, { a: unknownValue })).toBe('/c is missing');
    expect(issueText({ enum: [1, 2], const: 1 }, [unknownValue])).toBeNull();
    expect(issueText({ items: { enum: [1, 2], const: 1 } }, [unknownValue, 2])).toBe('/1 must be 1');
  });
});

const leaf = fc.oneof(fc.constantFrom<Json>('x', 'longer text', 1, 2.5, true, null), fc.string());
const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'type', 'valueOf'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const name = fc.constantFrom('a', 'b', 'type', 'valueOf');
const type = fc
  .constantFrom<Json>('object', 'array', 'string', 'integer', 'number', 'boolean', 'null', ['object', 'string'])
  .map((of): JsonObject => ({ type: of }));

/** Schemas with some of the keywords, each with schemas like `inner` in it. */
function schemasOf(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(name, inner, { maxKeys: 2, noNullPrototype: true });
  const words: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    required: fc.uniqueArray(name),
    properties: map,
    additionalProperties: fc.oneof(fc.boolean(), inner),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'y'), inner, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: map,
    items: inner,
    prefixItems: list,
    anyOf: list,
    allOf: list,
    oneOf: list,
    not: inner,
    contains: inner,
    uniqueItems: fc.boolean(),
    unevaluatedProperties: fc.boolean(),
    minLength: fc.nat(5),
    maxProperties: fc.nat(3),
    minItems: fc.nat(2),
    enum: fc.array(values, { minLength: 1, maxLength: 3 }),
    const: values,
  };
  const branch = fc.tuple(inner, inner, inner).map(([a, b, c]) =>
    Object.fromEntries([
      ['if', a],
      ['then', b],
      ['else', c],
    ]),
  );
  const some = fc
    .array(
      fc.constantFrom(...Object.entries(words)).chain(([word, value]) => value.map((made) => [word, made])),
      { maxLength: 3 },
    )
    .map((entries) => Object.fromEntries(entries));
  return fc.oneof({ weight: 2, arbitrary: type }, { weight: 5, arbitrary: some }, { weight: 1, arbitrary: branch });
}

const schemas = schemasOf(schemasOf(type));

/** The value with some random parts unknown. */
function masked(value: Json, chances: Iterator<number>): PartlyKnown {
  const chance = chances.next().value ?? 0;
  if (chance > 0.8) return typeof value === 'string' && chance > 0.9 ? unknownText : unknownValue;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, chances));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, chances)]));
}

it('a payload with unknown parts is never rejected if the schema accepts it once it is known', () => {
  let taken = 0;
  let rejected = 0;
  const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
  fc.assert(
    fc.property(schemas, values, chances, (schema, value, drawn) => {
      const partly = masked(value, drawn.values());
      const issue = compilePartly(schema)(partly);
      if (issue !== null) rejected += 1;
      if (compileSchema(schema)(value) !== null) return;
      taken += 1;
      expect(issue).toBeNull();
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(50);
  expect(rejected).toBeGreaterThan(50);
});
