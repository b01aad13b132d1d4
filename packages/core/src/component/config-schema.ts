import { z } from 'zod';
import { isArray, isObject, type Json, type JsonObject, own } from '../json.ts';
import type { Component } from './component.ts';
import { policies } from './policies.ts';

const made = new WeakMap<Component<never>, JsonObject>();

/** The JSON Schema (2020-12) of all that a component's `extra_config` may hold: its own keys and the policies. */
export function configSchemaOf(component: Component<never>): JsonObject {
  const known = made.get(component);
  if (known !== undefined) return known;
  const ownSchema = jsonSchema(component.config);
  const schema = component.run === undefined ? ownSchema : withProperties(ownSchema, policiesSchema());
  made.set(component, schema);
  return schema;
}

/** With names of its own for what it refers to, so that they mean the same in a component's schema. */
function policiesSchema(): JsonObject {
  return JSON.parse(JSON.stringify(jsonSchema(policies)).replaceAll('__schema', '__policy')) as JsonObject;
}

function jsonSchema(schema: z.ZodType): JsonObject {
  // What a schema transforms or refines has no word in JSON Schema; its shape still helps a form.
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: dropOwnFormats }) as JsonObject;
}

/** Checks of zod's that it writes as a `format` beside their pattern: JSON Schema has no such formats. */
const ownFormats: ReadonlySet<unknown> = new Set([
  'includes',
  'starts_with',
  'ends_with',
  'regex',
  'lowercase',
  'uppercase',
]);

function dropOwnFormats({ jsonSchema: made }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (ownFormats.has(made.format)) delete made.format;
}

function withProperties(schema: JsonObject, more: JsonObject): JsonObject {
  const [properties, added] = [schema.properties, more.properties];
  if (!isObject(properties) || !isObject(added)) return schema;
  const [defs, addedDefs] = [schema.$defs, more.$defs].map((value) => (isObject(value) ? value : {}));
  return {
    ...schema,
    // A key of its own stays its own, should a policy have that name, too.
    properties: { ...properties, ...added, ...properties },
    $defs: { ...addedDefs, ...defs },
  };
}

/** The keys that a schema names for the object at a path: what a mistyped key may have meant. */
export function keysAt(schema: JsonObject, path: readonly (string | number)[]): readonly string[] {
  return schemasAt(schema, path).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
}

/** What may stand at a path, in words: `one of "GET", "POST"`, `a number`. */
export function expectedAt(schema: JsonObject, path: readonly (string | number)[]): readonly string[] {
  return schemasAt(schema, path).flatMap((place) => {
    if (isArray(place.enum)) return [`one of ${place.enum.map((value) => JSON.stringify(value)).join(', ')}`];
    if (place.type === 'string' && place.pattern === expressionPattern) return ['text with an expression in {{ }}'];
    return typeof place.type === 'string' ? (typeWords.get(place.type) ?? []) : [];
  });
}

/** How zod writes the text that an `expressible` value may be. */
const expressionPattern = '\\{\\{';

const typeWords: ReadonlyMap<string, string> = new Map([
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
  ['string', 'text'],
]);

/** The schemas of the value at a path: several where alternatives are. */
function schemasAt(schema: Json | undefined, path: readonly (string | number)[]): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (isArray(list) ? list : []));
  const inner = alternatives.flatMap((alternative) => schemasAt(alternative, path));
  const [first, ...rest] = path;
  if (first === undefined) return [schema, ...inner];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const next = typeof first === 'number' ? schema.items : (own(properties, first) ?? schema.additionalProperties);
  return [...schemasAt(next, rest), ...inner];
}
