import { type Json, type JsonObject, unknownValue } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createInputSchemas } from './input-schema.ts';
import { PayloadChecks } from './payload-checks.ts';

function workflow(id: number, inputSchema: JsonObject | null) {
  return { id, updatedAt: 1, inputSchema };
}

const wordy = (length: number): JsonObject => ({ required: ['a'], description: 'x'.repeat(length) });

describe('the payloads of a graph', () => {
  it('are rejected with the path of the wrong value', () => {
    const check = new PayloadChecks(createInputSchemas()).of(
      workflow(1, { properties: { 'a/b': { additionalProperties: false } } }),
    );
    const issue = { path: ['a/b', 'x'], isKey: true, message: 'is not one of the keys that the schema allows' };
    expect(check({ 'a/b': { x: 1 } })).toEqual(issue);
    expect(check({ 'a/b': { x: unknownValue } })).toEqual(issue);
    expect(check({ 'a/b': unknownValue })).toBeNull();
    expect(check(unknownValue)).toBeNull();
  });

  it('may have any value if there is no schema', () => {
    expect(new PayloadChecks(createInputSchemas()).of(workflow(1, null))({})).toBeNull();
  });

  it('are checked against a limited number and length of schemas', () => {
    const found = (schemas: readonly JsonObject[]) => {
      const checks = new PayloadChecks(createInputSchemas());
      return schemas.map((schema, id) => checks.of(workflow(id, schema))).filter((check) => check({}) !== null).length;
    };
    expect(found(Array.from({ length: 40 }, () => wordy(0)))).toBe(16);
    expect(found([wordy(10_000), wordy(10_000), wordy(0)])).toBe(1);
    expect(found([wordy(20_000)])).toBe(0);
  });

  it('are checked against a schema until their total length is too large', () => {
    const check = new PayloadChecks(createInputSchemas()).of(workflow(1, wordy(15_000)));
    const found = Array.from({ length: 60 }, () => check({ b: 'x'.repeat(100) })).filter((issue) => issue !== null);
    expect(found.length).toBeGreaterThan(10);
    expect(found.length).toBeLessThan(40);
  });

  it('are not checked if the schema takes too much work', () => {
    const twice = (name: string): Json => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`d${i}`, twice(`d${i + 1}`)]));
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d20: { type: 'string' } } };
    const check = new PayloadChecks(createInputSchemas()).of(workflow(1, schema));
    expect(check({})).toBeNull();
    expect(check({ a: unknownValue })).toBeNull();
  });
});
