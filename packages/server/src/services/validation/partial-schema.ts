import {
  isArray,
  isKnown,
  isObject,
  isSameJson,
  type Json,
  type JsonObject,
  type PartlyKnown,
  unknownText,
  unknownValue,
} from '@millrace/core';
import {
  type CompiledSchema,
  compileWith,
  dataKeywords,
  mapValues,
  metered,
  newAjv,
  SchemaError,
  schemaMaps,
} from './json-schema.ts';

/** Stands for `type`, which Ajv does not let go of. Not a word of JSON Schema, so no schema means something by it. */
const typeWord = 'x-millrace-type';

/**
 * Words of which nobody can say that a value breaks them while a part of it is unknown. What they would say of known parts
 * inside is left unsaid, too: it is found when the other workflow is started.
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
 * Compiles a schema that has been taken before for values of which parts are unknown: finds only what is wrong whatever
 * those parts become. All other words of JSON Schema pass over what is of no type of theirs, and so over the unknown.
 */
export function compilePartly(schema: JsonObject): CompiledSchema<PartlyKnown> {
  try {
    return compileWith(partialAjv(), () => relaxed(metered(schema)));
  } catch (error) {
    // It refers to a place inside itself that is left out here.
    if (error instanceof SchemaError) return () => null;
    throw error;
  }
}

function partialAjv() {
  const ajv = newAjv((value, choice) => !isKnown(value) || isSameJson(value, choice));
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

/** The schema with nothing in it that an unknown value could break and its later value keep. */
function relaxed(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (unsayable.has(key) || key === 'oneOf' || key === 'allOf' || key === 'nullable') return [];
    if (key === 'type') return [[typeWord, typesIn(value, schema)]];
    if (dataKeywords.has(key) || key === 'dependentRequired') return [[key, value]];
    if (schemaMaps.has(key) && isObject(value)) return [[key, mapValues(value, relaxedIn)]];
    return [[key, relaxedIn(value)]];
  });
  const all = isArray(schema.allOf) ? schema.allOf.map(relaxedIn) : [];
  // Which one it will be is not known, and that it will be no other cannot be.
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
