import { jsonKind } from '../../base/json-kind.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { toText } from '../text.ts';

/** Readers of what a filter was given, which fail with what was expected instead. */

/** Text; numbers and booleans are written out, as a filter for text is often used on an id. */
export function text(value: Json | undefined, what: string, evaluation: Evaluation): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return toText(value, evaluation);
  return refuse(value, what, 'text', evaluation);
}

/** A number; text that writes one must go through `float` or `int` first. */
export function number(value: Json | undefined, what: string, evaluation: Evaluation): number {
  return typeof value === 'number' ? value : refuse(value, what, 'a number', evaluation);
}

/** A whole number from `least` to `most`. */
export function integer(
  value: Json | undefined,
  { what, least, most }: { readonly what: string; readonly least: number; readonly most: number },
  evaluation: Evaluation,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  return refuse(value, what, `a whole number from ${least} to ${most}`, evaluation);
}

/** True or false. Strict, so that a name given in the place of a switch is noticed: `unique('name')`. */
export function flag(value: Json | undefined, what: string, evaluation: Evaluation): boolean {
  return typeof value === 'boolean' ? value : refuse(value, what, 'true or false', evaluation);
}

/** A list. Costs a step for each item, because what asks for a list is about to look at all of them. */
export function list(value: Json | undefined, what: string, evaluation: Evaluation): readonly Json[] {
  if (!isArray(value)) return refuse(value, what, 'a list', evaluation);
  evaluation.spend(value.length);
  return value;
}

/** An object. Costs a step for each key. */
export function object(value: Json | undefined, what: string, evaluation: Evaluation): JsonObject {
  if (!isObject(value)) return refuse(value, what, 'an object', evaluation);
  evaluation.spend(Object.keys(value).length);
  return value;
}

/** The failure of a filter that was given something else than it takes. */
export function refuse(value: Json | undefined, what: string, wanted: string, evaluation: Evaluation): never {
  const given = typeof value === 'number' ? String(value) : jsonKind(value);
  evaluation.fail(`${what} must be ${wanted}, but it is ${given}.`);
}
