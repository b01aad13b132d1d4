import { dataKeywords, isArray, isObject, type Json, type JsonObject, schemaMaps } from '@millrace/core';
import { canonicalText, mapValues, noteKeywords } from './schema-parts.ts';

/** A reference that may be one to an alternative, by its position. */
const refersToAlternative = /"\$(?:dynamicRef|ref)":"[^"]*(?:%|\/(?:anyOf|oneOf)\/)/;

/**
 * The schema with the constants among the alternatives of each `oneOf` and `anyOf` as one `enum`, which means the same:
 * lists of countries or colours, with a title for each, are compiled at once instead of one by one.
 */
export function withChoices(schema: JsonObject): JsonObject {
  return refersToAlternative.test(JSON.stringify(schema)) ? schema : merged(schema);
}

function merged(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (dataKeywords.has(key)) return [key, value];
    if (schemaMaps.has(key) && isObject(value)) return [key, mapValues(value, mergedIn)];
    const inner = mergedIn(value);
    return [key, isArray(inner) && (key === 'anyOf' || key === 'oneOf') ? oneChoice(inner, key) : inner];
  });
  return Object.fromEntries(entries);
}

function mergedIn(value: Json): Json {
  if (isArray(value)) return value.map(mergedIn);
  return isObject(value) ? merged(value) : value;
}

function oneChoice(alternatives: readonly Json[], key: 'anyOf' | 'oneOf'): readonly Json[] {
  const constants = alternatives.flatMap((schema) => (isConstant(schema) ? [schema.const] : []));
  if (constants.length < 2) return alternatives;
  // The same constant twice fits no `oneOf`.
  if (key === 'oneOf' && new Set(constants.map(canonicalText)).size < constants.length) return alternatives;
  return [{ enum: constants }, ...alternatives.filter((schema) => !isConstant(schema))];
}

function isConstant(schema: Json): schema is JsonObject & { readonly const: Json } {
  return (
    isObject(schema) &&
    Object.hasOwn(schema, 'const') &&
    Object.keys(schema).every((key) => key === 'const' || noteKeywords.has(key))
  );
}
