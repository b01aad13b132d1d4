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

test.each<[JsonObject, string]>([
  [{ type: 'strin' }, '/type must be one of "array", "boolean", "integer", "null", "number", "object", "string"'],
  [{ items: [] }, '/items must be object or boolean'],
  [{ allOf: [] }, '/allOf must not have fewer than 1 items'],
  [{ $ref: '#/$defs/x' }, "it refers to '#/$defs/x', which is not in it"],
])('the error for the invalid schema %j says what is wrong', (schema, words) => {
  expect(() => compileSchema(schema)).toThrow(words);
});
