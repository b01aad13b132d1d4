import { exactNumber } from '../../base/exact-json.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';

/** Keywords of JSON Schema whose value is a map from any name to a schema. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is data, even if it looks like a schema. */
export const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

const numberKeywords: ReadonlySet<string> = new Set([
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
]);

/**
 * A schema in which the bounds are numbers. A bound such as the largest integer of 64 bits is received as text, because a
 * double cannot hold it; here the nearest double is enough, because the values that are compared with it are doubles.
 */
export function withNumberBounds(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (dataKeywords.has(key)) return [key, value];
    if (numberKeywords.has(key) && typeof value === 'string') return [key, boundOf(value)];
    if (schemaMaps.has(key) && isObject(value)) return [key, mapped(value)];
    return [key, inside(value)];
  });
  return Object.fromEntries(entries);
}

function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inside(schema)]));
}

function inside(value: Json): Json {
  if (isArray(value)) return value.map(inside);
  return isObject(value) ? withNumberBounds(value) : value;
}

function boundOf(text: string): Json {
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text);
  if (!isNumber || typeof exactNumber(text) === 'number') return text;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
}
