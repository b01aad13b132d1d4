import { isArray, isObject, isSameJson, type Json, type JsonObject, type PartlyKnown } from '@millrace/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compilePattern } from '../../ground/regex.ts';
import { checkedFormats } from './schema-formats.ts';
import { compileMessage, listed, ruleMessage } from './schema-messages.ts';

/** The first rule of a schema that a value breaks. */
export interface SchemaIssue {
  /** JSON Pointer to the value that is wrong or missing. */
  readonly pointer: string;
  /** The schema keyword that was broken. */
  readonly keyword: string;
  readonly message: string;
}

/**
 * Finds what is wrong with a value; null when it fits. Follows at most so many references, by default as many as a large
 * payload needs, and then gives `endless`.
 */
export type CompiledSchema<Value = Json> = (value: Value, references?: number) => SchemaIssue | null;

/** A schema that cannot be used; the message says why. */
export class SchemaError extends Error {}

/** A larger schema is generated, and would make megabytes of validation code. */
const maxSchemaBytes = 64 * 1024;
/** Deeper than people nest, shallow enough that no recursion over it can overflow. */
const maxSchemaDepth = 32;
/** References followed for one value: a 5 MiB payload of small objects needs fewer, a schema that doubles needs 2^n. */
const maxReferences = 250_000;

const dialect = 'https://json-schema.org/draft/2020-12/schema';
/** Counts references as they are followed. Not a word of JSON Schema, so no schema means something by it. */
const meter = 'x-millrace-meter';

class TooManyReferences extends Error {}
let referencesLeft = 0;

// Knows the meta-schema; compiles nothing of a user's.
const metaSchema = new Ajv2020({ strict: false, logger: false, validateFormats: false });

/**
 * Compiles a JSON Schema (2020-12) of a user's. Patterns run in linear time, references cannot leave the schema,
 * and a value that makes the schema branch without end is refused instead of waited for.
 * @throws SchemaError
 */
export function compileSchema(schema: Json): CompiledSchema {
  if (!isObject(schema)) throw new SchemaError('must be a JSON Schema object');
  checkLimits(schema);
  checkDialect(schema);
  return compileWith(newAjv(), () => metered(schema));
}

/** Compiles what was made of a schema, with its meters. @throws SchemaError */
export function compileWith<Value>(ajv: Ajv2020, make: () => JsonObject): CompiledSchema<Value> {
  let validate: (value: Value) => boolean;
  try {
    validate = ajv.compile(make());
  } catch (error) {
    throw new SchemaError(`is not a JSON Schema that can be used: ${compileMessage(error)}`);
  }
  return (value, references = maxReferences) => {
    referencesLeft = references;
    try {
      if (validate(value)) return null;
    } catch (error) {
      if (error instanceof TooManyReferences || error instanceof RangeError) return endless;
      throw error;
    }
    const first = (validate as typeof validate & Pick<Ajv2020, 'errors'>).errors?.[0];
    return first === undefined ? endless : issueOf(first);
  };
}

/** What is said of a value for which a schema refers to itself without end. */
export const endless: SchemaIssue = {
  pointer: '',
  keyword: '$ref',
  message: 'cannot be checked: the schema refers to itself too often for this value',
};

type AjvError = NonNullable<Ajv2020['errors']>[number];

function issueOf(error: AjvError): SchemaIssue {
  const { instancePath, keyword, params } = error;
  // Where a property is missing or too much, the path of the property itself is what the sender looks for.
  const property: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const pointer = typeof property === 'string' ? `${instancePath}/${escapePointer(property)}` : instancePath;
  return { pointer, keyword, message: ruleMessage(error) };
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function checkLimits(schema: JsonObject): void {
  if (JSON.stringify(schema).length > maxSchemaBytes) throw new SchemaError('is larger than 64 KiB');
  if (isDeeper(schema, maxSchemaDepth)) throw new SchemaError(`is nested deeper than ${maxSchemaDepth} levels`);
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function checkDialect(schema: JsonObject): void {
  const named = schema.$schema ?? dialect;
  if (named !== dialect && named !== `${dialect}#`)
    throw new SchemaError(`must be JSON Schema 2020-12: "$schema" must be ${dialect}`);
  if (metaSchema.validate(dialect, schema)) return;
  const [first] = metaSchema.errors ?? [];
  const issue = first === undefined ? 'it breaks its rules' : `${first.instancePath} ${ruleMessage(first)}`;
  throw new SchemaError(`is not valid JSON Schema 2020-12: ${issue}`);
}

/** Whether a value is one of those that `enum` or `const` allows. */
type IsChoice = (value: PartlyKnown, choice: Json) => boolean;

const isTheChoice: IsChoice = (value, choice) =>
  value === choice || (typeof choice === 'object' && isSameJson(value as Json, choice));

/** Compiles one schema. */
export function newAjv(isChoice = isTheChoice): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    // The schema was checked against the meta-schema before, with an instance that keeps nothing.
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    // `required: ["toString"]` asks for a key of the payload, not of its prototype.
    ownProperties: true,
    // A large definition named a thousand times would be a thousand copies.
    inlineRefs: false,
    code: { regExp: linearRegExp },
    formats: checkedFormats,
  });
  ajv.addKeyword({ keyword: meter, before: '$ref', schema: false, errors: false, validate: countReference });
  // Ajv's own comparison calls what a value has under the key `valueOf`.
  ajv.removeKeyword('enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    validate: (choices: readonly Json[], value: PartlyKnown) => choices.some((choice) => isChoice(value, choice)),
    error: { message: ({ schema }) => `must be one of ${listed(schema)}` },
  });
  ajv.removeKeyword('const');
  ajv.addKeyword({
    keyword: 'const',
    validate: (choice: Json, value: PartlyKnown) => isChoice(value, choice),
    error: { message: ({ schema }) => `must be ${listed(schema)}` },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly Json[]) => !wanted || hasNoDuplicates(items),
    error: { message: 'must not have duplicate items' },
  });
  return ajv;
}

function countReference(): boolean {
  referencesLeft -= 1;
  if (referencesLeft < 0) throw new TooManyReferences();
  return true;
}

/** Ajv names a compiled pattern by its toString(): patterns that share one name would be taken for one pattern. */
function linearRegExp(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = compilePattern(source);
  return { test: (text) => testWithinLimits(pattern, text), toString: () => source };
}
// What standalone code would call; ajv asks for it even where no such code is made.
linearRegExp.code = 'linearRegExp';

function testWithinLimits(pattern: { test(text: string): boolean }, text: string): boolean {
  try {
    return pattern.test(text);
  } catch {
    // Too long for the pattern: a text that cannot be tested does not fit.
    return false;
  }
}

/** Ajv compares every pair of objects; sorted texts in a set need one pass. */
function hasNoDuplicates(items: readonly Json[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Keywords whose value is a map from any name to a schema. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is data, whatever it looks like. */
export const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** The schema with a meter beside every reference. */
export function metered(schema: JsonObject): JsonObject {
  if (Object.hasOwn(schema, '$async')) throw new SchemaError('must not use $async, which is no keyword of JSON Schema');
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (dataKeywords.has(key)) return [key, value];
    if (schemaMaps.has(key) && isObject(value)) return [key, mapValues(value, meteredIn)];
    return [key, meteredIn(value)];
  });
  const refers = Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, '$dynamicRef');
  return Object.fromEntries(refers ? [...entries, [meter, true]] : entries);
}

function meteredIn(value: Json): Json {
  if (isArray(value)) return value.map(meteredIn);
  return isObject(value) ? metered(value) : value;
}

/** The object with another value under each key. */
export function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
