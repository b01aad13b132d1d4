import type { Json, JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { compileSchema } from './json-schema.ts';

test.each<[JsonObject, Json, string]>([
  [{ type: 'string' }, 5, ' must be string'],
  [{ type: ['string', 'null'] }, 5, ' must be string or null'],
  [{ required: ['a'] }, {}, '/a is missing'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, "/b is missing: it is required if 'a' is present"],
  [{ additionalProperties: false }, { a: 1 }, '/a is not one of the keys that the schema allows'],
  [{ unevaluatedProperties: false }, { a: 1 }, '/a is not one of the keys that the schema allows'],
  [{ properties: { a: false } }, { a: 1 }, '/a is not allowed here'],
  [
    { items: { type: 'integer' } },
    ['12345678901234567890'],
    '/0 must be integer: an integer outside ±(2^53 − 1) is text, which the schema must allow, as in "type": ["integer", "string"]',
  ],
  [{ type: 'integer' }, '5', ' must be integer'],
  [{ type: 'string', maxLength: 3 }, '12345678901234567890', ' must not have more than 3 characters'],
  [{ enum: ['x', { y: 1 }] }, 'z', ' must be one of "x", {"y":1}'],
  [{ const: { y: 1 } }, 'z', ' must be {"y":1}'],
  [{ not: {} }, 'z', " must not fit the schema's 'not'"],
  [{ contains: { type: 'string' } }, [1], ' must contain at least 1 valid item(s)'],
  [{ minLength: 3 }, 'a', ' must not have fewer than 3 characters'],
])('the message for a value that violates %j says what it must be', (schema, value, words) => {
  const issue = compileSchema(schema)(value);
  expect(`${issue?.pointer} ${issue?.message}`).toBe(words);
});

test('the message for a schema with many choices lists the first of them', () => {
  const issue = compileSchema({ enum: Array.from({ length: 1000 }, (_, index) => index) })('x');
  expect(issue?.message).toMatch(/^must be one of 0, 1, 2, .*…$/);
  expect(issue?.message.length).toBeLessThan(250);
});

/** A schema with so many references in a row. */
function chain(length: number): JsonObject {
  const names = Array.from({ length }, (_, index) => `a${index}`);
  const definitions = names.map((name, index): [string, JsonObject] => [
    name,
    index === length - 1 ? { type: 'string' } : { $ref: `#/$defs/a${index + 1}` },
  ]);
  return { $ref: '#/$defs/a0', $defs: Object.fromEntries(definitions) };
}

/** The same with anchors, and in the order in which each refers to one that was written before. */
function anchored(length: number): JsonObject {
  const definitions = Array.from({ length }, (_, index): [string, JsonObject] => [
    `d${index}`,
    { $anchor: `a${index}`, ...(index > 0 && { not: { $ref: `#a${index - 1}` } }) },
  ]);
  return { $ref: `#a${length - 1}`, $defs: Object.fromEntries(definitions) };
}

test('a schema may have a chain of 100 references, and any number that are no chain', () => {
  expect(compileSchema(chain(100))(5)?.message).toBe('must be string');
  for (const schema of [chain(101), chain(490), anchored(240)]) {
    expect(() => compileSchema(schema)).toThrow(
      'has a chain of more than 100 references ($ref), each in the target of the one before',
    );
  }
  const many = { prefixItems: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/a' })), $defs: { a: { $ref: '#' } } };
  expect(compileSchema(many)(5)).toBeNull();
});

test('a schema may refer to itself', () => {
  const tree = { properties: { children: { items: { $ref: '#' } }, name: { type: 'string' } } };
  expect(compileSchema(tree)({ children: [{ name: 'a' }, { children: [{ name: 5 }] }] })).toMatchObject({
    pointer: '/children/1/children/0/name',
  });
  expect(compileSchema({ $id: 'https://example.com/tree', ...tree })({ children: [{ name: 5 }] })).not.toBeNull();
  expect(compileSchema({ $ref: '#' })(5)?.message).toContain('takes too much work');
});

test('a schema may have bounds that a double cannot hold', () => {
  const schema = { type: 'integer', maximum: '9223372036854775807', minimum: '-9223372036854775808' };
  expect(compileSchema(schema)(5)).toBeNull();
  expect(compileSchema(schema)(1e30)?.message).toBe('must be <= 9223372036854776000');
});

test.each<[JsonObject, string]>([
  [{ type: 'strin' }, '/type must be one of "array", "boolean", "integer", "null", "number", "object", "string"'],
  [{ items: [] }, '/items must be object or boolean'],
  [{ allOf: [] }, '/allOf must not have fewer than 1 items'],
  [{ $ref: '#/$defs/x' }, "it refers to '#/$defs/x', which is not in it"],
])('the error for the invalid schema %j says what is wrong', (schema, words) => {
  expect(() => compileSchema(schema)).toThrow(words);
});
