import { jsonKind } from '../base/json-kind.ts';
import { isSameJson } from '../base/json-same.ts';
import { keyCount } from '../base/key-count.ts';
import type { Meter } from '../base/meter.ts';
import { momentOf } from '../base/moment.ts';
import { booleanOf, isSameNumber, type Numeric, numericOf, textOf } from '../base/resolved.ts';
import { StepError } from '../errors.ts';
import { TextSearch } from '../expression/text-search.ts';
import { isArray, isObject, type Json } from '../json.ts';

/**
 * The operators of rules, by the values they work on. Each family accepts:
 * - any: every value, and for `exists` and `is_empty` also a missing one. Empty are null, `''`, `[]` and `{}`, not 0 or
 *   false.
 * - text: text; numbers and booleans are converted to text. `equals` also accepts null, lists and objects and compares
 *   them; a number equals its text. `contains` also accepts a list and searches for an item that equals the value.
 * - number: numbers, and text that contains one. Integers of any size are compared exactly.
 * - time: ISO 8601 text (UTC if it has no offset), and numbers, as milliseconds since 1970.
 * - boolean: true, false, and the texts `true` and `false`.
 * - array: lists; the value is a number.
 *
 * A field of another kind fails the step with `input`, a value of another kind with `config`; neither is silently
 * false.
 */
export const operatorFamilies = {
  any: ['exists', 'does_not_exist', 'is_empty', 'is_not_empty'],
  text: [
    'equals',
    'not_equals',
    'contains',
    'not_contains',
    'starts_with',
    'not_starts_with',
    'ends_with',
    'not_ends_with',
    'matches_regex',
    'not_matches_regex',
  ],
  number: ['gt', 'lt', 'gte', 'lte'],
  time: ['after', 'before', 'after_or_equal', 'before_or_equal'],
  boolean: ['is_true', 'is_false'],
  array: ['length_eq', 'length_neq', 'length_gt', 'length_lt', 'length_gte', 'length_lte'],
} as const;

export type Operator = (typeof operatorFamilies)[keyof typeof operatorFamilies][number];

export const operators: readonly Operator[] = Object.values(operatorFamilies).flat();

/** The value to compare with. */
export interface Condition {
  /** The name of the compared value in messages. */
  readonly field: string;
  readonly operator: Operator;
  readonly value?: Json | undefined;
}

export interface ConditionPorts {
  /** A regular expression test in linear time: patterns come from users. */
  matches(pattern: string, text: string): boolean;
  readonly meter: Meter;
}

/** Each operator here is the exact negation of the other, so that a rule and its opposite never agree. */
const opposites = {
  does_not_exist: 'exists',
  is_not_empty: 'is_empty',
  not_equals: 'equals',
  not_contains: 'contains',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_matches_regex: 'matches_regex',
  lte: 'gt',
  gte: 'lt',
  before_or_equal: 'after',
  after_or_equal: 'before',
  is_false: 'is_true',
  length_neq: 'length_eq',
  length_lte: 'length_gt',
  length_gte: 'length_lt',
} as const satisfies Partial<Record<Operator, Operator>>;

type Opposite = keyof typeof opposites;
type Test = (actual: Json | undefined, condition: Condition, ports: ConditionPorts) => boolean;

const tests: { readonly [K in Exclude<Operator, Opposite>]: Test } = {
  exists: (actual) => actual !== undefined,
  is_empty: (actual) => isEmpty(actual),
  equals: (actual, condition, { meter }) => equals(present(actual, condition), expectedValue(condition), meter),
  contains: (actual, condition, { meter }) => contains(actual, condition, meter),
  starts_with: (actual, condition) => actualText(actual, condition).startsWith(expectedText(condition)),
  ends_with: (actual, condition) => actualText(actual, condition).endsWith(expectedText(condition)),
  matches_regex: (actual, condition, ports) => ports.matches(expectedText(condition), actualText(actual, condition)),
  gt: (actual, condition) => actualNumber(actual, condition) > expectedNumber(condition),
  lt: (actual, condition) => actualNumber(actual, condition) < expectedNumber(condition),
  after: (actual, condition) => actualMoment(actual, condition) > expectedMoment(condition),
  before: (actual, condition) => actualMoment(actual, condition) < expectedMoment(condition),
  is_true: (actual, condition) => booleanOf(actual) ?? rejectActual(actual, condition, 'true or false'),
  length_eq: (actual, condition) => isSameNumber(actualLength(actual, condition), expectedNumber(condition)),
  length_gt: (actual, condition) => actualLength(actual, condition) > expectedNumber(condition),
  length_lt: (actual, condition) => actualLength(actual, condition) < expectedNumber(condition),
};

/** Whether the operator accepts a missing field. */
export function takesMissing(operator: Operator): boolean {
  return operatorFamilies.any.some((name) => name === operator);
}

/** Whether the operator compares with a `value`. */
export function takesValue(operator: Operator): boolean {
  return !takesMissing(operator) && !operatorFamilies.boolean.some((name) => name === operator);
}

/**
 * Whether the condition holds for a value; undefined is a missing field.
 * @throws StepError `input` if the operator does not accept the field's value, `config` if it does not accept the
 * rule's value
 */
export function conditionHolds(condition: Condition, actual: Json | undefined, ports: ConditionPorts): boolean {
  const { operator, value } = condition;
  // Every operator reads each text at most once, except those that charge more.
  ports.meter.spendOnText(lengthOf(actual) + lengthOf(value));
  return isOpposite(operator)
    ? !tests[opposites[operator]](actual, condition, ports)
    : tests[operator](actual, condition, ports);
}

function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}

function isOpposite(operator: Operator): operator is Opposite {
  return Object.hasOwn(opposites, operator);
}

function isEmpty(actual: Json | undefined): boolean {
  if (isArray(actual)) return actual.length === 0;
  if (isObject(actual)) return keyCount(actual) === 0;
  return actual === undefined || actual === null || actual === '';
}

function equals(left: Json, right: Json, meter: Meter): boolean {
  if (typeof left === 'number' && typeof right === 'string') return isNumberAsText(left, right);
  if (typeof left === 'string' && typeof right === 'number') return isNumberAsText(right, left);
  if (typeof left === 'boolean' && typeof right === 'string') return String(left) === right;
  if (typeof left === 'string' && typeof right === 'boolean') return left === String(right);
  return isSameJson(left, right, meter);
}

function isNumberAsText(number: number, text: string): boolean {
  const numeric = numericOf(text);
  return numeric !== null && isSameNumber(number, numeric);
}

function contains(actual: Json | undefined, condition: Condition, meter: Meter): boolean {
  if (!isArray(actual)) {
    const text = actualText(actual, condition);
    const search = new TextSearch(expectedText(condition));
    meter.spend(search.stepsFor(text.length));
    return search.indexIn(text, 0) !== -1;
  }
  const wanted = expectedValue(condition);
  meter.spend(actual.length);
  return actual.some((item) => equals(item, wanted, meter));
}

function present(actual: Json | undefined, condition: Condition): Json {
  return actual === undefined ? rejectActual(actual, condition, 'a value') : actual;
}

function actualText(actual: Json | undefined, condition: Condition): string {
  return textOf(actual) ?? rejectActual(actual, condition, 'text');
}

function actualNumber(actual: Json | undefined, condition: Condition): Numeric {
  return numericOf(actual) ?? rejectActual(actual, condition, 'a number');
}

function actualMoment(actual: Json | undefined, condition: Condition): number {
  return momentOf(actual) ?? rejectActual(actual, condition, 'a time (ISO 8601, or milliseconds since 1970)');
}

function actualLength(actual: Json | undefined, condition: Condition): number {
  return isArray(actual) ? actual.length : rejectActual(actual, condition, 'a list');
}

function expectedValue(condition: Condition): Json {
  return condition.value === undefined ? rejectValue(condition, 'given') : condition.value;
}

function expectedText(condition: Condition): string {
  return textOf(condition.value) ?? rejectValue(condition, 'text');
}

function expectedNumber(condition: Condition): Numeric {
  return numericOf(condition.value) ?? rejectValue(condition, 'a number');
}

function expectedMoment(condition: Condition): number {
  return momentOf(condition.value) ?? rejectValue(condition, 'a time (ISO 8601, or milliseconds since 1970)');
}

function rejectActual(actual: Json | undefined, { field, operator }: Condition, wanted: string): never {
  throw new StepError('input', `'${field}' is ${jsonKind(actual)}, but '${operator}' takes ${wanted}.`);
}

function rejectValue({ field, operator, value }: Condition, wanted: string): never {
  const given = jsonKind(value);
  throw new StepError(
    'config',
    `The value that '${operator}' compares '${field}' with must be ${wanted}; it is ${given}.`,
  );
}
