import {
  dataKeywords,
  isArray,
  isObject,
  isSameJson,
  type Json,
  type JsonObject,
  type PartlyKnown,
  schemaMaps,
  withNumberBounds,
} from '@millrace/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compilePattern } from '../../ground/regex.ts';
import { hasLongChain, maxReferenceChain } from './schema-chain.ts';
import { withChoices } from './schema-choices.ts';
import { checkedFormats } from './schema-formats.ts';
import { compileMessage, largeIntegerHint, listed, ruleMessage } from './schema-messages.ts';
import { canonicalText, mapValues, partsOf, schemaWords } from './schema-parts.ts';
import {
  chargeChoices,
  chargePattern,
  chargeSchema,
  chargeSorting,
  costOf,
  type SchemaLimits,
  schemaMeter,
  TooMuchWork,
  withinLimits,
} from './schema-work.ts';

/** The first rule of a schema that a value violates. */
export interface SchemaIssue {
  /** JSON Pointer to the wrong or missing value. */
  readonly pointer: string;
  /** The schema keyword that was violated. */
  readonly keyword: string;
  readonly message: string;
}

/**
 * Finds the first issue of a value; null if it is valid. Works within limits, by default as much as a large payload
 * needs; beyond them the result is `tooMuchWork`.
 */
export type CompiledSchema<Value = Json> = (value: Value, limits?: SchemaLimits) => SchemaIssue | null;

/** A schema that cannot be used; the message says why. */
export class SchemaError extends Error {}

/** A larger schema is generated, and would produce megabytes of validation code. */
const maxSchemaBytes = 64 * 1024;
/** Deeper than people nest, and shallow enough that no recursion over it overflows the stack. */
const maxSchemaDepth = 32;
/** Schemas in one schema, and their keywords: compiling as many takes about 50 ms. */
const maxSubschemas = 500;
const maxKeywords = 1_000;
/**
 * Schemas in one `allOf`, `anyOf` or `oneOf`: Ajv nests the code of each in that of the one before, so compiling takes
 * time that grows with the square of their number.
 */
const maxAlternatives = 100;
/** Names that `dependentRequired` lists: compiling takes time that grows with the square of their number. */
const maxDependentNames = 200;
/** Patterns in one schema. Compiling one takes up to 1 ms. */
const maxSchemaPatterns = 100;

const dialect = 'https://json-schema.org/draft/2020-12/schema';
/** Charges each application of a schema. The keyword is not part of JSON Schema, so no schema gives it a meaning. */
export const meterWord = 'x-millrace-meter';

// Contains the meta-schema and compiles no schemas of users.
const metaSchema = new Ajv2020({ strict: false, logger: false, validateFormats: false });

/**
 * Compiles a user's JSON Schema (2020-12). Patterns run in linear time, references cannot leave the schema, and a value
 * that takes too much work, for example because the schema branches without end, gives an issue in bounded time.
 * @throws SchemaError
 */
export function compileSchema(schema: Json): CompiledSchema {
  if (!isObject(schema)) throw new SchemaError('must be a JSON Schema object');
  checkSize(schema);
  const bounded = withNumberBounds(schema);
  const compact = withChoices(bounded);
  checkParts(compact);
  checkDialect(bounded);
  if (hasLongChain(compact)) throw new SchemaError(longChain);
  return compileWith(newAjv(), () => metered(compact));
}

const longChain = `has a chain of more than ${maxReferenceChain} references ($ref), each in the target of the one before`;

/** Compiles a transformed schema that contains its meters. @throws SchemaError */
export function compileWith<Value>(ajv: Ajv2020, make: () => JsonObject): CompiledSchema<Value> {
  let validate: (value: Value) => boolean;
  try {
    validate = ajv.compile(make());
  } catch (error) {
    // The compiler calls itself for each reference in a chain.
    if (error instanceof RangeError) throw new SchemaError(longChain);
    throw new SchemaError(`is not a JSON Schema that can be used: ${compileMessage(error)}`);
  }
  return (value, limits = {}) => {
    try {
      if (withinLimits(limits, () => validate(value))) return null;
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof RangeError) return tooMuchWork;
      throw error;
    }
    const first = (validate as typeof validate & Pick<Ajv2020, 'errors'>).errors?.[0];
    return first === undefined ? tooMuchWork : issueOf(first, value);
  };
}

/** The issue of a value that takes too much work. */
export const tooMuchWork: SchemaIssue = {
  pointer: '',
  keyword: 'work_limit',
  message:
    'cannot be checked: this value takes too much work with this schema; send a smaller value or simplify the schema',
};

type AjvError = NonNullable<Ajv2020['errors']>[number];

function issueOf(error: AjvError, value: unknown): SchemaIssue {
  const { instancePath, keyword, params } = error;
  // For a missing or additional property, the pointer is the path of the property itself, which is what the sender
  // looks for.
  const property: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const pointer = typeof property === 'string' ? `${instancePath}/${escapePointer(property)}` : instancePath;
  return { pointer, keyword, message: ruleMessage(error) + largeIntegerHint(error, value) };
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function checkSize(schema: JsonObject): void {
  if (JSON.stringify(schema).length > maxSchemaBytes) throw new SchemaError('is larger than 64 KiB');
  if (isDeeper(schema, maxSchemaDepth)) throw new SchemaError(`is nested deeper than ${maxSchemaDepth} levels`);
}

function checkParts(schema: JsonObject): void {
  const { subschemas, keywords, alternatives, patterns, dependentNames } = partsOf(schema);
  if (subschemas > maxSubschemas) throw new SchemaError(`has more than ${maxSubschemas} schemas inside it`);
  if (keywords > maxKeywords) throw new SchemaError(`has more than ${maxKeywords} keywords`);
  if (alternatives > maxAlternatives) {
    throw new SchemaError(`has more than ${maxAlternatives} schemas in one allOf, anyOf or oneOf; use enum for values`);
  }
  if (patterns > maxSchemaPatterns) throw new SchemaError(`has more than ${maxSchemaPatterns} patterns`);
  if (dependentNames > maxDependentNames) {
    throw new SchemaError(`has more than ${maxDependentNames} names in dependentRequired`);
  }
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

/** True if a value equals one that `enum` or `const` allows. */
type IsChoice = (value: PartlyKnown, choice: Json) => boolean;

const isTheChoice: IsChoice = (value, choice) =>
  value === choice || (typeof choice === 'object' && isSameJson(value as Json, choice, schemaMeter()));

/** An Ajv instance that compiles one schema. */
export function newAjv(isChoice = isTheChoice): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    // The schema was already checked against the meta-schema, with a shared instance that caches no schemas.
    meta: false,
    validateSchema: false,
    // `required: ["toString"]` refers to a key of the payload, not of its prototype.
    ownProperties: true,
    // A large definition with a thousand references would be copied a thousand times.
    inlineRefs: false,
    // Ajv's optimizer makes the code of a large schema ten times slower to produce, and hardly faster to run.
    code: { regExp: linearRegExp, optimize: false },
    formats: checkedFormats,
  });
  ajv.addKeyword({ keyword: meterWord, before: '$ref', schemaType: 'object', errors: false, validate: chargeSchema });
  // Ajv's own comparison calls the value under the key `valueOf`.
  ajv.removeKeyword('enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    validate(choices: readonly Json[], value: PartlyKnown) {
      chargeChoices(choices.length);
      return choices.some((choice) => isChoice(value, choice));
    },
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
    validate(wanted: boolean, items: readonly Json[]) {
      if (wanted) chargeSorting(items);
      return !wanted || hasNoDuplicates(items);
    },
    error: { message: 'must not have duplicate items' },
  });
  return ajv;
}

/** Ajv identifies a compiled pattern by its toString(), so two patterns with the same name would be one. */
function linearRegExp(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = compilePattern(source);
  return { test: (text) => testWithinLimits(pattern, text), toString: () => source };
}
// Only standalone code would call this, but Ajv requires it in any case.
linearRegExp.code = 'linearRegExp';

function testWithinLimits(pattern: { test(text: string): boolean }, text: string): boolean {
  chargePattern(text.length);
  try {
    return pattern.test(text);
  } catch {
    // Too long for the pattern: a text that cannot be tested does not match.
    return false;
  }
}

/** Ajv compares every pair of objects; a set of canonical texts needs one pass. */
function hasNoDuplicates(items: readonly Json[]): boolean {
  return new Set(items.map(canonicalText)).size === items.length;
}

/** The schema with a meter in every schema inside it. */
export function metered(schema: JsonObject, isSchema = true): JsonObject {
  if (Object.hasOwn(schema, '$async'))
    throw new SchemaError('must not use $async, which is not a keyword of JSON Schema');
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (dataKeywords.has(key)) return [key, value];
    if (schemaMaps.has(key) && isObject(value)) return [key, mapValues(value, (inner) => meteredIn(inner, true))];
    return [key, meteredIn(value, schemaWords.has(key))];
  });
  // A reference may lead to a keyword that JSON Schema does not have. Its value is metered if it refers on.
  const refers = Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, '$dynamicRef');
  return Object.fromEntries(isSchema || refers ? [...entries, [meterWord, costOf(schema)]] : entries);
}

function meteredIn(value: Json, isSchema: boolean): Json {
  if (isArray(value)) return value.map((item) => meteredIn(item, isSchema));
  return isObject(value) ? metered(value, isSchema) : value;
}
