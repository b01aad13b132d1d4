import { StepError } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { isArray, isObject } from '../json.ts';
import { exactNumber } from './exact-json.ts';
import { jsonKind } from './json-kind.ts';

/* Readers of inputs and of config values after their expressions are resolved: a text field may then hold any JSON. */

/** The value as text: numbers and booleans are converted. */
export function asText(value: unknown, field: string): string {
  return textOf(value) ?? reject(value, field, 'text');
}

/** The value as a number, which may be given as text. A text of digits that a number would round is rejected. */
export function asNumber(value: unknown, field: string): number {
  const number = numericOf(value) ?? reject(value, field, 'a number');
  if (typeof number === 'number') return number;
  throw new StepError('config', `'${field}' has too many digits: ${inexactIntegers}.`);
}

/** The value as an integer from `least` to `most`. */
export function asInteger(value: unknown, field: string, { least, most }: { least: number; most: number }): number {
  const number = numberOf(value);
  if (number === null || !Number.isInteger(number) || number < least || number > most) {
    return reject(value, field, `a whole number from ${least} to ${most}`);
  }
  return number;
}

/** The value as a boolean, which may be given as the text `true` or `false`. */
export function asBoolean(value: unknown, field: string): boolean {
  return booleanOf(value) ?? reject(value, field, 'true or false');
}

/** The value as a JSON object. */
export function asObject(value: unknown, field: string): JsonObject {
  return isObject(value as Json) ? (value as JsonObject) : reject(value, field, 'an object');
}

/** The value as one of the given words. */
export function asOneOf<Word extends string>(value: unknown, field: string, words: readonly Word[]): Word {
  return words.find((word) => word === value) ?? reject(value, field, `one of ${words.join(', ')}`);
}

/** A step's input as a list. */
export function asItems(input: Json): readonly Json[] {
  if (isArray(input)) return input;
  throw new StepError('input', `The input must be a list, but it is ${jsonKind(input)}.`);
}

function reject(value: unknown, field: string, wanted: string): never {
  // Only a number is shown: it cannot be a secret, and most often it is just out of range.
  const given = typeof value === 'number' ? String(value) : jsonKind(value);
  throw new StepError('config', `'${field}' must be ${wanted}, but it is ${given}.`);
}

/** The text of a scalar, or null for values without one: null, lists, objects. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A number, or one in decimal notation in a text; null for anything else. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  // Only these characters, so that `Number` accepts neither hexadecimal nor `Infinity`, nor an empty text as 0.
  if (!/^[\d.eE+-]+$/.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** A number of any size: a bigint is an integer that a double cannot hold. `<` and `>` compare the two kinds exactly. */
export type Numeric = number | bigint;

/** Why the text of a large integer is no operand of a calculation: the end of a message. */
export const inexactIntegers = 'integers outside ±(2^53 − 1) are text, because a calculation would round them';

/** The same as `numberOf`, without rounding an integer. */
export function numericOf(value: unknown): Numeric | null {
  const number = numberOf(value);
  if (number === null || typeof value !== 'string') return number;
  const text = value.trim();
  // Reading zeros in front would take time.
  return typeof exactNumber(text) === 'string' ? BigInt(text.replace(/^([-+]?)0+(?=\d)/, '$1')) : number;
}

/** Whether two numbers have the same value: `===` is false for a number and a bigint. */
export function isSameNumber(left: Numeric, right: Numeric): boolean {
  return !(left < right) && !(left > right);
}

/** A received integer that a double cannot hold: it has no zeros in front. */
const receivedInteger = /^-?[1-9]\d{15,308}$/;

/** A number, or the text that a received number became because a double cannot hold it; null for any other text. */
export function receivedNumberOf(value: unknown): Numeric | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !receivedInteger.test(value)) return null;
  const number = numericOf(value);
  return typeof number === 'bigint' ? number : null;
}

/** A number as JSON writes it. */
const writtenNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Why a received number became text: the end of a sentence that begins with what it is. Null for any other value. Whether it
 * was sent as text makes no difference.
 */
export function excessOfNumber(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (typeof receivedNumberOf(value) === 'bigint') return `has too many digits: ${inexactIntegers}`;
  return writtenNumber.test(value) && !Number.isFinite(Number(value))
    ? 'is out of range: a number can be at most about 1.8e308'
    : null;
}

/** A boolean, or the texts `true` and `false`; null for anything else. */
export function booleanOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : null;
}
