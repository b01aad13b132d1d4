import { isArray, isObject, type Json, type JsonObject, jsonSize, keyCount, type Meter } from '@millrace/core';

/**
 * Steps of one check of a value by a schema, which cannot pause: about 100 ms. The simplest schema can be
 * applied to four million values.
 */
const maxSchemaSteps = 1_000_000;

/** Comparing a name or a text with one of the schema takes about 25 ns. */
const comparisonsPerStep = 4;
/** Listing the names of an object takes about six times as long for each if it has more than this many. */
const manyNames = 1_000;
const manyNamesFactor = 6;
/** A value that does not match an alternative makes an error, and a list of errors. */
const stepsPerMismatch = 7;
/** Counting the characters of a text takes longer than copying them. */
const countedCharactersPerStep = 64;
/** Characters of a text that is searched for a pattern. */
const searchedCharactersPerStep = 8;
/** Writing values with sorted keys: for each, and for its characters. */
const stepsPerSorted = 2;
const sortedCharactersPerStep = 2;

/** The check took more steps than it may. */
export class TooMuchWork extends Error {}

/** The meter of the current check: it is synchronous, and the functions that Ajv calls have no other parameters. */
let current: SchemaMeter | null = null;

/** Limits the work of one check, and charges it to the attempt that it belongs to. */
class SchemaMeter {
  #left: number;
  readonly #attempt: Meter | undefined;

  constructor(steps: number, attempt: Meter | undefined) {
    this.#left = steps;
    this.#attempt = attempt;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
    this.#attempt?.spend(steps);
  }

  spendOnText(length: number): void {
    this.spend(length / countedCharactersPerStep);
  }
}

/** Limits of one check. */
export interface SchemaLimits {
  readonly steps?: number | undefined;
  /** The meter of the attempt that checks. */
  readonly meter?: Meter | undefined;
}

/** Does a check within its limits. @throws TooMuchWork, StepError `work_limit` */
export function withinLimits<Result>({ steps = maxSchemaSteps, meter }: SchemaLimits, check: () => Result): Result {
  const before = current;
  current = new SchemaMeter(steps, meter);
  try {
    return check();
  } finally {
    current = before;
  }
}

/** The meter that functions called by a schema charge. */
export function schemaMeter(): SchemaMeter {
  if (current === null) throw new Error('a schema is used without limits');
  return current;
}

/** Keywords that look for their own names in an object, each of which makes a branch of the compiled function. */
const nameKeywords = ['properties', 'dependentRequired', 'dependentSchemas', 'dependencies'];
/** Steps for one such name: up to 130 ns in objects that have different names. */
const stepsPerName = 1.25;
/** A function with more branches than this stays in the interpreter, which takes twice as long. */
const manyBranches = 200;

/** Keywords that look at every name of an object. */
const scanningKeywords = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
];

/** What applying a schema to a value costs, apart from its subschemas, patterns, `enum`, `const` and `uniqueItems`. */
export interface SchemaCost extends JsonObject {
  /** For every value. */
  readonly any: number;
  /** For every object. */
  readonly object: number;
  /** For every name of an object. */
  readonly name: number;
  /** For every item of a list. */
  readonly item: number;
}

/** The cost of a schema's own keywords. */
export function costOf(schema: JsonObject): SchemaCost {
  const branches = nameKeywords.reduce((sum, key) => sum + sizeOf(schema[key]), 0);
  const isNegated = Object.hasOwn(schema, 'not') || Object.hasOwn(schema, 'if');
  const alternatives = sizeOf(schema.anyOf) + sizeOf(schema.oneOf) + (isNegated ? 1 : 0);
  const scans = scanningKeywords.filter((key) => Object.hasOwn(schema, key)).length;
  const patterns = sizeOf(schema.patternProperties);
  return {
    any: (1 + sizeOf(schema.required)) / comparisonsPerStep + alternatives * stepsPerMismatch,
    object: branches * stepsPerName * (branches > manyBranches ? 2 : 1),
    name: (scans + patterns) / comparisonsPerStep,
    item: Object.hasOwn(schema, 'contains') ? stepsPerMismatch : 0,
  };
}

function sizeOf(value: Json | undefined): number {
  if (isArray(value)) return value.length;
  return isObject(value) ? keyCount(value) : 0;
}

/** Charges the application of a schema. */
export function chargeSchema({ any, object, name, item }: SchemaCost, value: unknown): true {
  const meter = schemaMeter();
  meter.spend(any);
  if (typeof value === 'string') meter.spendOnText(value.length);
  else if (isArray(value as Json)) meter.spend(item * (value as readonly Json[]).length);
  else if (object + name > 0 && isObject(value as Json)) chargeObject(meter, { object, name }, value as JsonObject);
  return true;
}

function chargeObject(meter: SchemaMeter, { object, name }: Pick<SchemaCost, 'object' | 'name'>, value: JsonObject) {
  meter.spend(object);
  if (name > 0) meter.spend(name * nameWeight(keyCount(value)));
}

function nameWeight(count: number): number {
  return count > manyNames ? count * manyNamesFactor : count;
}

/** Charges the comparison of a value with each choice, without the parts of lists and objects. */
export function chargeChoices(count: number): void {
  schemaMeter().spend(count / comparisonsPerStep);
}

/** Charges writing the items of a list with sorted keys. */
export function chargeSorting(items: readonly Json[]): void {
  const meter = schemaMeter();
  meter.spend(items.length * stepsPerSorted);
  const size = items.reduce<number>((sum, item) => sum + sortedSize(item), 0);
  meter.spend(size / sortedCharactersPerStep);
}

function sortedSize(item: Json): number {
  if (typeof item === 'string') return item.length / countedCharactersPerStep;
  return typeof item === 'object' && item !== null ? jsonSize(item, Number.POSITIVE_INFINITY) : 0;
}

/** Charges a search for a pattern: about 20 ns for each character, and as much as for eight of them to begin. */
export function chargePattern(length: number): void {
  schemaMeter().spend(1 + length / searchedCharactersPerStep);
}
