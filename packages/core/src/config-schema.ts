import { z } from 'zod';
import type { Component } from './component.ts';
import { isArray, isObject, type Json, type JsonObject, own } from './json.ts';
import { policies } from './policies.ts';

const made = new WeakMap<Component<never>, JsonObject>();

/** The JSON Schema (2020-12) of all that a component's `extra_config` may hold: its own keys and the policies. */
export function configSchemaOf(component: Component<never>): JsonObject {
  const known = made.get(component);
  if (known !== undefined) return known;
  const ownSchema = jsonSchema(component.config);
  const schema = component.run === undefined ? ownSchema : withProperties(ownSchema, jsonSchema(policies));
  made.set(component, schema);
  return schema;
}

function jsonSchema(schema: z.ZodType): JsonObject {
  // What a schema transforms or refines has no word in JSON Schema; its shape still helps a form.
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
}

function withProperties(schema: JsonObject, more: JsonObject): JsonObject {
  const [properties, added] = [schema.properties, more.properties];
  if (!isObject(properties) || !isObject(added)) return schema;
  return { ...schema, properties: { ...properties, ...added } };
}

/** The keys that a schema names for the object at a path: what a mistyped key may have meant. */
export function keysAt(schema: Json | undefined, path: readonly (string | number)[]): readonly string[] {
  if (!isObject(schema)) return [];
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (isArray(list) ? list : []));
  const inner = alternatives.flatMap((alternative) => keysAt(alternative, path));
  const properties = isObject(schema.properties) ? schema.properties : {};
  const [first, ...rest] = path;
  if (first === undefined) return [...Object.keys(properties), ...inner];
  const next = typeof first === 'number' ? schema.items : (own(properties, first) ?? schema.additionalProperties);
  return [...keysAt(next, rest), ...inner];
}
