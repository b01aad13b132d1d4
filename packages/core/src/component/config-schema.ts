import { z } from 'zod';
import { isArray, isObject, type Json, type JsonObject, own } from '../json.ts';
import type { Component } from './component.ts';
import { policies } from './policies.ts';
import { toolKeyOf } from './tools/tool-settings.ts';

const made = new WeakMap<Component<never>, JsonObject>();

/** The JSON Schema (2020-12) of a component's `extra_config`: its own keys and the policies. */
export function configSchemaOf(component: Component<never>): JsonObject {
  const known = made.get(component);
  if (known !== undefined) return known;
  const ownSchema = jsonSchema(component.config);
  const isStep = component.run !== undefined || component.tool !== undefined;
  const withTool =
    component.tool === undefined ? ownSchema : withProperties(ownSchema, jsonSchema(toolKeyOf(component)));
  const schema = isStep ? withProperties(withTool, policiesSchema()) : ownSchema;
  made.set(component, schema);
  return schema;
}

/** With separate names for its references, so that they have the same meaning in a component's schema. */
function policiesSchema(): JsonObject {
  return JSON.parse(JSON.stringify(jsonSchema(policies)).replaceAll('__schema', '__policy')) as JsonObject;
}

function jsonSchema(schema: z.ZodType): JsonObject {
  // JSON Schema cannot express transforms and refinements; the shape is still useful for a form.
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: dropOwnFormats }) as JsonObject;
}

/** Zod checks that are written as a `format` in addition to their pattern: JSON Schema has no such formats. */
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
    // An own key takes precedence over a policy of the same name.
    properties: { ...properties, ...added, ...properties },
    $defs: { ...addedDefs, ...defs },
  };
}

/** The keys that a schema defines for the object at a path, as suggestions for a mistyped key. */
export function keysAt(schema: JsonObject, path: readonly (string | number)[]): readonly string[] {
  return schemasAt(schema, path).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
}

/** A description of the values allowed at a path: `one of "GET", "POST"`, `a number`. */
export function expectedAt(schema: JsonObject, path: readonly (string | number)[]): readonly string[] {
  return schemasAt(schema, path).flatMap((place) => {
    if (isArray(place.enum)) return [`one of ${place.enum.map((value) => JSON.stringify(value)).join(', ')}`];
    if (place.type === 'string' && place.pattern === expressionPattern) return ['text with an expression in {{ }}'];
    return typeof place.type === 'string' ? (typeNames.get(place.type) ?? []) : [];
  });
}

/** The form in which zod writes the text alternative of an `expressible` value. */
const expressionPattern = '\\{\\{';

const typeNames: ReadonlyMap<string, string> = new Map([
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
  ['string', 'text'],
]);

/** The schemas of the value at a path: several if there are alternatives. */
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
