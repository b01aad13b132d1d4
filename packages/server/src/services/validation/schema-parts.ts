import { dataKeywords, isArray, isObject, type Json, type JsonObject, schemaMaps } from '@millrace/core';

/** Keywords whose value is a schema or a list of schemas. */
export const schemaWords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
]);

/** Keywords that are for people, and cost nothing. */
export const noteKeywords: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** How many parts of each kind a schema contains; a keyword that JSON Schema does not have may contain some, too. */
interface SchemaParts {
  subschemas: number;
  keywords: number;
  /** In the longest `allOf`, `anyOf` or `oneOf`. */
  alternatives: number;
  patterns: number;
  dependentNames: number;
}

/** Counts the parts of a schema. */
export function partsOf(schema: Json): Readonly<SchemaParts> {
  const parts = { subschemas: 0, keywords: 0, alternatives: 0, patterns: 0, dependentNames: 0 };
  const open: Json[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (isArray(part)) open.push(...part.filter((inner) => typeof inner === 'object'));
    if (!isObject(part)) continue;
    countOwn(part, parts);
    for (const [key, value] of Object.entries(part)) {
      if (dataKeywords.has(key)) continue;
      if (schemaMaps.has(key) && isObject(value)) open.push(...Object.values(value));
      else open.push(value);
    }
  }
  return parts;
}

/** Adds the parts of a schema without the schemas inside it. */
function countOwn(schema: JsonObject, parts: SchemaParts): void {
  parts.subschemas += 1;
  parts.keywords += Object.keys(schema).filter((key) => !noteKeywords.has(key)).length;
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    parts.alternatives = Math.max(parts.alternatives, isArray(schema[key]) ? schema[key].length : 0);
  if (typeof schema.pattern === 'string') parts.patterns += 1;
  if (isObject(schema.patternProperties)) parts.patterns += Object.keys(schema.patternProperties).length;
  for (const lists of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(lists)) continue;
    for (const names of Object.values(lists)) parts.dependentNames += isArray(names) ? names.length : 0;
  }
}

/** A copy of the object with each value changed. */
export function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Equal values have the same text. */
export function canonicalText(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(
          Object.keys(inner)
            .sort()
            .map((name) => [name, inner[name]]),
        )
      : inner,
  );
}
