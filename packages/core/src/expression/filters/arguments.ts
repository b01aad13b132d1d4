import { jsonKind } from '../../base/json-kind.ts';
import { keyCount } from '../../base/key-count.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { toText } from '../text.ts';

/** Readers of a filter's input and arguments. They fail with a message that names the expected type. */

/** Text; numbers and booleans are converted, because text filters are often applied to an id. */
export function text(value: Json | undefined, what: string, evaluation: Evaluation): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return toText(value, evaluation);
  return reject(value, what, 'text', evaluation);
}

/** A number; text that contains one must be converted with `float` or `int` first. */
export function number(value: Json | undefined, what: string, evaluation: Evaluation): number {
  return typeof value === 'number' ? value : reject(value, what, 'a number', evaluation);
}

/** An integer from `least` to `most`. */
export function integer(
  value: Json | undefined,
  { what, least, most }: { readonly what: string; readonly least: number; readonly most: number },
  evaluation: Evaluation,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  return reject(value, what, `a whole number from ${least} to ${most}`, evaluation);
}

/** True or false. Strict, so that a name in the position of a flag is detected: `unique('name')`. */
export function flag(value: Json | undefined, what: string, evaluation: Evaluation): boolean {
  return typeof value === 'boolean' ? value : reject(value, what, 'true or false', evaluation);
}

/** A list. Costs a step for each item, because the caller is about to read all of them. */
export function list(value: Json | undefined, what: string, evaluation: Evaluation): readonly Json[] {
  if (!isArray(value)) return reject(value, what, 'a list', evaluation);
  evaluation.spend(value.length);
  return value;
}

/** An object. Costs a step for each key. */
export function object(value: Json | undefined, what: string, evaluation: Evaluation): JsonObject {
  if (!isObject(value)) return reject(value, what, 'an object', evaluation);
  evaluation.spend(keyCount(value));
  return value;
}

/** Fails because a filter received a value of the wrong type. */
export function reject(value: Json | undefined, what: string, wanted: string, evaluation: Evaluation): never {
  const given = typeof value === 'number' ? String(value) : jsonKind(value);
  evaluation.fail(`${what} must be ${wanted}, but it is ${given}.`);
}
