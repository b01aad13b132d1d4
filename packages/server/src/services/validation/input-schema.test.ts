import { type Json, type JsonObject, Problem } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { checkSchema, createInputSchemas } from './input-schema.ts';

const text = { type: 'string' } as const;

function issues(inputSchema: JsonObject, payload: Json): Problem['detail'] | null {
  try {
    createInputSchemas().check({ id: 1, updatedAt: 1, inputSchema }, payload, ['body']);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.detail;
    throw error;
  }
}

function fits(inputSchema: JsonObject, payload: Json): boolean {
  return issues(inputSchema, payload) === null;
}

describe('a payload', () => {
  it('is accepted if it matches the schema, or if there is none', () => {
    expect(fits({ type: 'object', required: ['text'] }, { text: 'x' })).toBe(true);
    createInputSchemas().check({ id: 1, updatedAt: 1, inputSchema: null }, 'anything', ['body']);
  });

  it('is rejected with the JSON Pointer and the position of the wrong value', () => {
    const schema = { properties: { items: { items: { properties: { 'a/b': text } } } } };
    expect(issues(schema, { items: [{}, { 'a/b': 5 }] })).toEqual([
      { type: 'type', loc: ['body', 'items', '1', 'a/b'], msg: 'must be string', pointer: '/items/1/a~1b' },
    ]);
  });

  it('is rejected with the path of the missing or additional property', () => {
    expect(issues({ required: ['text'] }, {})).toMatchObject([{ pointer: '/text', type: 'required' }]);
    expect(issues({ additionalProperties: false }, { x: 1 })).toMatchObject([{ pointer: '/x' }]);
  });

  it('is checked for its own keys, not for those of its prototype', () => {
    expect(fits({ required: ['toString'] }, {})).toBe(false);
    expect(fits({ const: { a: 1 } }, { valueOf: 1 })).toBe(false);
    expect(fits({ enum: [{ a: 1 }, { valueOf: 1 }] }, { valueOf: 1 })).toBe(true);
    expect(fits({ properties: { constructor: text } }, {})).toBe(true);
    expect(fits({ additionalProperties: false }, JSON.parse('{"__proto__": 1}'))).toBe(false);
  });

  it('is checked for formats, but not for texts of unlimited length', () => {
    const schema = { items: { format: 'email' } };
    expect(fits(schema, ['a@example.com'])).toBe(true);
    expect(fits(schema, ['nobody'])).toBe(false);
    expect(fits(schema, [`${'a'.repeat(9000)}@example.com`])).toBe(false);
    expect(fits({ format: 'date' }, '2026-02-29')).toBe(false);
    expect(fits({ format: 'shoe-size' }, 'anything')).toBe(true);
  });

  it('is checked for duplicates without comparing every pair', () => {
    const schema = { uniqueItems: true };
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(fits(schema, many)).toBe(true);
    expect(fits(schema, [...many, { index: 5 }])).toBe(false);
    expect(
      fits(schema, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toBe(false);
    expect(fits({ uniqueItems: false }, [1, 1])).toBe(true);
  });
});

describe('patterns', () => {
  it('are distinct within one schema', () => {
    const schema = { properties: { a: { pattern: '^x+$' }, b: { pattern: '^y+$' } } };
    expect(fits(schema, { a: 'xx', b: 'yy' })).toBe(true);
    expect(fits(schema, { a: 'yy', b: 'yy' })).toBe(false);
    expect(fits(schema, { a: 'xx', b: 'xx' })).toBe(false);
  });

  it('are distinct as names of properties, too', () => {
    const schema = { patternProperties: { '^n_': { type: 'number' }, '^s_': text }, additionalProperties: false };
    expect(fits(schema, { n_a: 1, s_a: 'x' })).toBe(true);
    expect(fits(schema, { s_a: 1 })).toBe(false);
  });

  it('take linear time', () => {
    expect(fits({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toBe(false);
  });

  it('that need more than linear time are rejected with the schema', () => {
    expect(checkSchema({ pattern: '(a)\\1' })).toContain('The pattern is invalid');
    expect(checkSchema({ pattern: '(?=a)' })).toContain('The pattern is invalid');
  });
});

describe('a schema', () => {
  const n = { $ref: '#/$defs/n' };

  it('is accepted with references inside itself, also recursive ones', () => {
    const tree = { $defs: { n: { properties: { next: n, value: text } } }, ...n };
    expect(checkSchema(tree)).toBeNull();
    expect(fits(tree, { next: { next: { value: 'x' } } })).toBe(true);
    expect(fits(tree, { next: { next: { value: 1 } } })).toBe(false);
  });

  it('is unchanged by a constant that looks like a reference', () => {
    const schema = { properties: { a: { const: { $ref: '#/$defs/n' } }, const: n }, $defs: { n: text } };
    expect(fits(schema, { a: { $ref: '#/$defs/n' }, const: 'x' })).toBe(true);
    expect(fits(schema, { const: 1 })).toBe(false);
  });

  it('is rejected if it is not JSON Schema 2020-12, with the position of the error', () => {
    expect(checkSchema({ properties: { a: { type: 'text' } } })).toContain('/properties/a/type');
    expect(checkSchema({ $schema: 'http://json-schema.org/draft-07/schema#' })).toContain(
      'must be JSON Schema 2020-12',
    );
    expect(checkSchema('text')).toBe('must be a JSON Schema object');
    expect(checkSchema({ $async: true })).toContain('$async');
  });

  it('is rejected if it refers to anything outside itself', () => {
    expect(checkSchema({ $ref: 'https://example.com/schema.json' })).toContain('which is not in it');
    expect(checkSchema({ $ref: '#/$defs/missing' })).toContain("it refers to '#/$defs/missing', which");
  });

  it('is rejected over 64 KiB or 32 levels', () => {
    expect(checkSchema({ description: 'x'.repeat(64 * 1024) })).toBe('is larger than 64 KiB');
    const deep = (levels: number): JsonObject => (levels === 0 ? {} : { not: deep(levels - 1) });
    expect(checkSchema(deep(31))).toBeNull();
    expect(checkSchema(deep(33))).toBe('is nested deeper than 32 levels');
  });

  it('that never ends gives an issue in bounded time', () => {
    expect(issues({ $defs: { n: { allOf: [n] } }, ...n }, {})).toMatchObject([{ type: 'work_limit' }]);
    const doubling = Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]);
    const schema = { $defs: { ...Object.fromEntries(doubling), d40: { type: 'null' } }, $ref: '#/$defs/d0' };
    expect(issues(schema, 1)).toMatchObject([{ type: 'work_limit' }]);
  });

  it('may have the same $id as the schema of another workflow', () => {
    const schemas = createInputSchemas();
    const same = { $id: 'https://example.com/input', type: 'string' };
    schemas.check({ id: 1, updatedAt: 1, inputSchema: same }, 'x', ['body']);
    schemas.check({ id: 2, updatedAt: 1, inputSchema: same }, 'x', ['body']);
  });

  it('is compiled again after its workflow changed', () => {
    const schemas = createInputSchemas();
    schemas.check({ id: 1, updatedAt: 1, inputSchema: { type: 'string' } }, 'x', ['body']);
    expect(() => schemas.check({ id: 1, updatedAt: 2, inputSchema: { type: 'number' } }, 'x', ['body'])).toThrow(
      Problem,
    );
  });
});

describe('the work of a schema', () => {
  it.each<[string, JsonObject, Json]>([
    [
      'many alternatives of many items',
      { items: { anyOf: [...Array.from({ length: 99 }, (_, index) => ({ maximum: -1 - index })), {}] } },
      Array.from({ length: 100_000 }, (_, index) => index),
    ],
    [
      'many properties of many objects',
      { items: { properties: Object.fromEntries(Array.from({ length: 490 }, (_, index) => [`n${index}`, {}])) } },
      Array.from({ length: 40_000 }, () => ({})),
    ],
    [
      'long lists of choices',
      { items: { not: { enum: Array.from({ length: 5_000 }, (_, index) => `e${index}`) } } },
      Array.from({ length: 90_000 }, (_, index) => index),
    ],
    [
      'patterns of many names',
      { patternProperties: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`(a|b)*${index}$`, {}])) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${'a'.repeat(20)}${index}`, 1])),
    ],
    ['large items without duplicates', { uniqueItems: true }, [['x'.repeat(5_000_000)], 1]],
  ])('is limited for %s', (_name, schema, value) => {
    const before = process.threadCpuUsage();
    expect(issues(schema, value)).toMatchObject([{ type: 'work_limit' }]);
    const { user, system } = process.threadCpuUsage(before);
    // Usually 0.1 s; without a limit it would take many times as long.
    expect(user + system).toBeLessThan(2_000_000);
  });

  const many = (count: number, one: (index: number) => Json) => Array.from({ length: count }, (_, index) => one(index));
  const named = (count: number, one: (index: number) => Json): JsonObject =>
    Object.fromEntries(many(count, one).map((schema, index) => [`n${index}`, schema]));

  it('is limited by the numbers of its schemas, keywords, alternatives, patterns and dependent names', () => {
    expect(checkSchema({ properties: named(499, () => ({ type: 'string' })) })).toBeNull();
    expect(checkSchema({ properties: named(500, () => ({})) })).toBe('has more than 500 schemas inside it');
    expect(checkSchema({ properties: named(400, () => ({ minLength: 1, maxLength: 2, type: 'string' })) })).toBe(
      'has more than 1000 keywords',
    );
    const noted = { type: 'string', title: 'A', description: 'b', examples: ['c'], default: '' };
    expect(checkSchema({ properties: named(400, () => noted) })).toBeNull();
    for (const word of ['allOf', 'anyOf', 'oneOf']) {
      expect(checkSchema({ [word]: many(100, (index) => ({ minimum: index })) })).toBeNull();
      expect(checkSchema({ [word]: many(101, (index) => ({ minimum: index })) })).toBe(
        'has more than 100 schemas in one allOf, anyOf or oneOf; use enum for values',
      );
    }
    expect(checkSchema({ properties: named(101, (index) => ({ pattern: `${index}` })) })).toBe(
      'has more than 100 patterns',
    );
    expect(checkSchema({ dependentRequired: { a: many(201, (index) => `n${index}`) } })).toBe(
      'has more than 200 names in dependentRequired',
    );
  });

  it.each<[string, JsonObject]>([
    ['oneOf of values', { oneOf: many(3000, (index) => ({ const: index })) }],
    ['lists of alternatives', { allOf: many(4, () => ({ oneOf: many(99, (index) => ({ minimum: index })) })) }],
    ['many alternatives', { allOf: many(99, (index) => ({ type: ['string', 'object', 'null'], minItems: index })) }],
    ['properties', { properties: named(330, (index) => ({ type: 'string', minLength: index, format: 'date' })) }],
    [
      'references',
      { $defs: named(9, () => ({ type: 'string' })), properties: named(480, (n) => ({ $ref: `#/$defs/n${n % 9}` })) },
    ],
    ['dependent schemas', { dependentSchemas: named(490, (index) => ({ required: [`n${index}`] })) }],
    ['conditions', { allOf: many(99, (index) => ({ if: { minimum: index }, else: { maximum: index } })) }],
  ])('is little to compile it, for %s', (_name, schema) => {
    const before = process.threadCpuUsage();
    expect(checkSchema(schema)).toBeNull();
    issues(schema, { n0: 1 });
    const { user, system } = process.threadCpuUsage(before);
    // Compiled twice. Usually 0.05 s each; a thousand alternatives took a second.
    expect(user + system).toBeLessThan(500_000);
  });
});

describe('the values among alternatives', () => {
  const colours = ['red', 'green', 'blue'].map((colour) => ({ const: colour, title: `The colour ${colour}` }));

  it.each(['oneOf', 'anyOf'])('fit %s as before, with a message that lists them', (word) => {
    const schema = { [word]: [...colours, { type: 'number' }] };
    for (const value of ['red', 'blue', 5]) expect(fits(schema, value)).toBe(true);
    expect(issues({ [word]: colours }, 'pink')).toMatchObject([{ msg: 'must be one of "red", "green", "blue"' }]);
    expect(fits(schema, 'pink')).toBe(false);
  });

  it('are compared with other alternatives, and with each other', () => {
    expect(fits({ oneOf: [...colours, { type: 'string' }] }, 'red')).toBe(false);
    expect(fits({ oneOf: [...colours, { type: 'string' }] }, 'pink')).toBe(true);
    expect(fits({ oneOf: [...colours, { const: 'red' }] }, 'red')).toBe(false);
    expect(fits({ oneOf: [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }] }, { a: 1, b: 2 })).toBe(false);
  });

  it('remain where a reference finds them, and where they are data', () => {
    const refers = (ref: string) => ({ oneOf: colours, properties: { a: { $ref: ref } } });
    for (const ref of ['#/oneOf/1', '#/%6FneOf/1'])
      expect(issues({ ...refers(ref), oneOf: [...colours, { type: 'object' }] }, { a: 'pink' })).toMatchObject([
        { msg: 'must be "green"' },
      ]);
    expect(fits({ const: { oneOf: colours } }, { oneOf: colours })).toBe(true);
    expect(fits({ properties: { oneOf: { const: 1 }, anyOf: { const: 2 } } }, { oneOf: 1, anyOf: 2 })).toBe(true);
  });
});
