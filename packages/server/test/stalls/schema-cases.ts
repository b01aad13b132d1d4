import type { Json, JsonObject } from '@millrace/core';
import { largeValue, wideObject } from './hostile-values.ts';
import type { Dice, MakeCase } from './stall-case.ts';

function many(count: number, one: (index: number) => Json): Json[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

function named(count: number, one: (index: number) => Json): JsonObject {
  return Object.fromEntries(many(count, one).map((schema, index) => [`p${index}`, schema]));
}

function schemaOf(dice: Dice): JsonObject {
  const count = dice.size(100, 480);
  return dice.pick<() => JsonObject>([
    () => ({ uniqueItems: true }),
    () => ({ additionalProperties: false, properties: { a: {} } }),
    () => ({ patternProperties: { '(a|b|ab)*c$': {}, '^(k+)+x': {} } }),
    () => ({ anyOf: many(count / 5, (index) => ({ additionalProperties: { const: index + 100 } })) }),
    () => ({ propertyNames: { pattern: '(a?){100}a{100}$' } }),
    () => ({ items: { enum: many(count, (index) => `e${index}`) } }),
    () => ({ items: { anyOf: [...many(count, (index) => ({ const: index })), {}] } }),
    () => ({ items: { oneOf: many(count / 5, (index) => ({ multipleOf: index + 1 })) } }),
    () => ({ items: { properties: named(count, () => ({ type: 'string' })) } }),
    () => ({ items: { not: { required: many(count, (index) => `n${index}`) } } }),
    () => ({ pattern: '(a|aa)+$' }),
    () => ({ anyOf: many(90, (index) => ({ pattern: `(a|b)*(c|d)*${index}$` })) }),
    () => ({ patternProperties: named(90, () => ({})) }),
    () => ({ minLength: 2_000_000 }),
    () => ({ contains: { const: 'x' } }),
    () => ({ contains: {}, minContains: 3_000_000 }),
    () => ({
      unevaluatedProperties: false,
      anyOf: many(count / 5, (index) => ({ properties: { [`a${index}`]: {} } })),
    }),
    () => ({ additionalProperties: { $ref: '#' }, items: { $ref: '#' } }),
    () => ({ items: { dependentRequired: named(count / 5, () => ['a']) } }),
    () => ({ const: many(count, (index) => index) }),
  ])();
}

/** A payload that is hard to check by the schema of its workflow. */
const checkedPayload: MakeCase = (dice) => {
  const schema = schemaOf(dice);
  return {
    kind: 'run',
    name: `input_schema ${JSON.stringify(schema).slice(0, 50)}`,
    steps: [],
    payload: { v: dice.pick([largeValue(dice), wideObject(dice)]) },
    inputSchema: { properties: { v: schema } },
  };
};

/** A schema that is hard to compile, or too large. */
const compiledSchema: MakeCase = (dice) => {
  const count = dice.size(200, 1500);
  const input_schema = dice.pick<() => JsonObject>([
    () => ({ properties: named(count / 2, () => ({ type: 'string', minLength: 1 })) }),
    () => ({ anyOf: many(count, (index) => ({ const: index })) }),
    () => ({ oneOf: many(count, (index) => ({ const: index })) }),
    () => ({ oneOf: many(count / 14, (index) => ({ minimum: index })) }),
    () => ({ allOf: many(count / 140, () => ({ anyOf: many(90, (index) => ({ required: [`n${index}`] })) })) }),
    () => ({ anyOf: many(count, (index) => ({ pattern: `^(a|b)*${index}` })) }),
    () => ({ patternProperties: named(count, () => ({})) }),
    () => ({ $defs: named(count / 2, (index) => ({ $ref: `#/$defs/p${index + 1}` })), $ref: '#/$defs/p0' }),
    () => ({ anyOf: many(count / 30, () => deepNot(28)) }),
    () => ({ allOf: many(count / 4, () => ({ if: { not: {} }, else: { items: {} } })) }),
    () => ({ unevaluatedProperties: false, anyOf: many(count / 3, () => ({ properties: { a: { type: 'string' } } })) }),
    () => ({ dependentSchemas: named(count, () => ({ required: ['a'] })) }),
    () => ({ dependentRequired: { a: many(count / 8, (index) => `n${index}`) } }),
    () => ({ enum: many(count, (index) => ({ a: index })) }),
    () => ({ properties: named(count / 3, () => ({ type: 'strng' })) }),
    () => ({ anyOf: many(40, () => ({ pattern: '(a{30}|b){30}c{300}' })) }),
  ])();
  const name = `compiled schema ${JSON.stringify(input_schema).slice(0, 50)}`;
  return {
    kind: 'request',
    name,
    requests: [{ method: 'PATCH', path: '/api/v1/workflows/{{ slug }}/', body: { input_schema } }],
  };
};

function deepNot(levels: number): JsonObject {
  return levels === 0 ? {} : { not: deepNot(levels - 1) };
}

/** JSON Schemas. */
export const schemaCases: readonly MakeCase[] = [checkedPayload, compiledSchema];
