import {
  dataKeywords,
  isArray,
  isKnown,
  isObject,
  isSameJson,
  type Json,
  type JsonObject,
  type PartlyKnown,
  schemaMaps,
  unknownText,
  unknownValue,
  withNumberBounds,
} from '@millrace/core';
import { type CompiledSchema, compileWith, metered, meterWord, newAjv, SchemaError } from './json-schema.ts';
import { withChoices } from './schema-choices.ts';
import { mapValues } from './schema-parts.ts';
import { schemaMeter } from './schema-work.ts';

/**
 * Replaces `type`, which cannot be removed from Ajv. It is not part of JSON Schema, so no schema gives it a meaning.
 */
const typeWord = 'x-millrace-type';

/**
 * Keywords that a value with an unknown part cannot be known to violate. They are not checked for known parts inside,
 * either: such issues are found when the other workflow is started.
 */
const unsayable: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependencies',
]);

/**
 * Compiles an accepted schema for values with unknown parts: finds only what is wrong whatever values those parts get.
 * All other keywords of JSON Schema ignore values of other types, and so unknown parts.
 */
export function compilePartly(schema: JsonObject): CompiledSchema<PartlyKnown> {
  try {
    return compileWith(partialAjv(), () => relaxed(metered(withChoices(withNumberBounds(schema)))));
  } catch (error) {
    // It refers to a place inside itself that is omitted here.
    if (error instanceof SchemaError) return () => null;
    throw error;
  }
}

function partialAjv() {
  const ajv = newAjv((value, choice) => !isKnown(value) || isSameJson(value, choice, schemaMeter()));
  ajv.addKeyword({
    keyword: typeWord,
    schemaType: 'array',
    validate: (types: readonly string[], value: PartlyKnown) => types.some((type) => mayBe(value, type)),
    error: { message: ({ schema }) => `must be ${(schema as readonly string[]).join(' or ')}` },
  });
  return ajv;
}

function mayBe(value: PartlyKnown, type: string): boolean {
  if (value === unknownValue) return true;
  if (value === unknownText) return type === 'string';
  if (type === 'integer') return Number.isInteger(value);
  if (Array.isArray(value)) return type === 'array';
  return type === (value === null ? 'null' : typeof value);
}

/** The schema without the rules that a value may violate while a part is unknown and satisfy once it is known. */
function relaxed(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (unsayable.has(key) || key === 'oneOf' || key === 'allOf' || key === 'nullable') return [];
    if (key === 'type') return [[typeWord, typesIn(value, schema)]];
    if (dataKeywords.has(key) || key === 'dependentRequired' || key === meterWord) return [[key, value]];
    if (schemaMaps.has(key) && isObject(value)) return [[key, mapValues(value, relaxedIn)]];
    return [[key, relaxedIn(value)]];
  });
  const all = isArray(schema.allOf) ? schema.allOf.map(relaxedIn) : [];
  // It is unknown which alternative matches, and whether others match as well.
  const one = isArray(schema.oneOf) ? [{ anyOf: schema.oneOf.map(relaxedIn) }] : [];
  const parts = [...all, ...one];
  return Object.fromEntries(parts.length === 0 ? entries : [...entries, ['allOf', parts]]);
}

function relaxedIn(value: Json): Json {
  if (isArray(value)) return value.map(relaxedIn);
  return isObject(value) ? relaxed(value) : value;
}

function typesIn(type: Json, { nullable }: JsonObject): readonly Json[] {
  const types = isArray(type) ? type : [type];
  return nullable === true ? [...types, 'null'] : types;
}
