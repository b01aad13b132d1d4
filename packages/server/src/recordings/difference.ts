import { isArray, isObject, isSameJson, type Json, type JsonObject, own } from '@millrace/core';

/** A place at which a value differs from the expected one. */
export interface Difference {
  readonly at: string;
  readonly expected: string;
  readonly came: string;
}

/** The expected part of a text, a list or an object: `{contains: …}`. */
function partOf(expected: Json): Json | undefined {
  return isObject(expected) && Object.keys(expected).length === 1 ? own(expected, 'contains') : undefined;
}

/**
 * The places at which a value differs from the expected one; undefined for a missing value. Values must be equal
 * regardless of key order, except that `{contains: …}` matches a part.
 */
export function differences(expected: Json, came: Json | undefined, at: string): readonly Difference[] {
  const part = partOf(expected);
  if (part !== undefined) return differencesOfPart(part, came, at);
  if (came === undefined) return [{ at, expected: shown(expected), came: 'nothing' }];
  if (isObject(expected) && isObject(came)) {
    const stray = Object.keys(came).filter((key) => !Object.hasOwn(expected, key));
    return [...differencesOfKeys(expected, came, at), ...stray.map((key) => tooMuch(inside(at, key), own(came, key)))];
  }
  if (isArray(expected) && isArray(came)) {
    const stray = came.slice(expected.length);
    return [
      ...expected.flatMap((item, index) => differences(item, came[index], `${at}[${index}]`)),
      ...stray.map((item, index) => tooMuch(`${at}[${expected.length + index}]`, item)),
    ];
  }
  return isSameJson(expected, came) ? [] : [{ at, expected: shown(expected), came: shown(came) }];
}

function tooMuch(at: string, came: Json | undefined): Difference {
  return { at, expected: 'nothing', came: shown(came) };
}

/** Whether a value matches the expected one. */
export function isExpected(expected: Json, came: Json | undefined): boolean {
  return differences(expected, came, '').length === 0;
}

function differencesOfKeys(expected: JsonObject, came: JsonObject, at: string): readonly Difference[] {
  return Object.entries(expected).flatMap(([key, value]) => differences(value, own(came, key), inside(at, key)));
}

function differencesOfPart(part: Json, came: Json | undefined, at: string): readonly Difference[] {
  if (isObject(part) && isObject(came)) return differencesOfKeys(part, came, at);
  const missing = (value: Json): Difference => ({
    at,
    expected: `a value that contains ${shown(value)}`,
    came: shown(came),
  });
  if (isArray(came)) {
    const items = isArray(part) ? part : [part];
    return items.filter((item) => !came.some((one) => isExpected(item, one))).map(missing);
  }
  const isInText = typeof part === 'string' && typeof came === 'string' && came.includes(part);
  return isInText ? [] : [missing(part)];
}

function inside(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`;
}

/** Enough to recognise a value, and at most a few lines of a terminal. */
const mostCharacters = 300;

/** A value as one line of a report. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
