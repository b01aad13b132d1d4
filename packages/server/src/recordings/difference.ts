import { isArray, isObject, isSameJson, type Json, type JsonObject, own } from '@millrace/core';
import { isExpected, partOf, unlimited } from './matching.ts';

/** A place at which a value differs from the expected one. */
export interface Difference {
  readonly at: string;
  readonly expected: string;
  readonly came: string;
}

/**
 * The places at which a value differs from the expected one; undefined for a missing value. Values must be equal
 * regardless of key order, except that `{contains: …}` matches a part.
 */
export function differences(
  expected: Json,
  came: Json | undefined,
  at: string,
  meter = unlimited,
): readonly Difference[] {
  meter.spend(1);
  const part = partOf(expected);
  if (part !== undefined) return differencesOfPart(part, came, at, meter);
  if (came === undefined) return [{ at, expected: shown(expected), came: 'nothing' }];
  if (isObject(expected) && isObject(came)) {
    const stray = Object.keys(came).filter((key) => !Object.hasOwn(expected, key));
    return [
      ...differencesOfKeys(expected, came, at, meter),
      ...stray.map((key) => tooMuch(inside(at, key), own(came, key))),
    ];
  }
  if (isArray(expected) && isArray(came)) {
    const stray = came.slice(expected.length);
    return [
      ...expected.flatMap((item, index) => differences(item, came[index], `${at}[${index}]`, meter)),
      ...stray.map((item, index) => tooMuch(`${at}[${expected.length + index}]`, item)),
    ];
  }
  return isSameJson(expected, came) ? [] : [{ at, expected: shown(expected), came: shown(came) }];
}

function tooMuch(at: string, came: Json | undefined): Difference {
  return { at, expected: 'nothing', came: shown(came) };
}

function differencesOfKeys(
  expected: JsonObject,
  came: JsonObject,
  at: string,
  meter = unlimited,
): readonly Difference[] {
  return Object.entries(expected).flatMap(([key, value]) => differences(value, own(came, key), inside(at, key), meter));
}

function differencesOfPart(part: Json, came: Json | undefined, at: string, meter = unlimited): readonly Difference[] {
  if (isObject(part) && isObject(came)) return differencesOfKeys(part, came, at, meter);
  const shownCame = shown(came);
  const missing = (value: Json): Difference => ({
    at,
    expected: `a value that contains ${shown(value)}`,
    came: shownCame,
  });
  if (isArray(came)) {
    const items = isArray(part) ? part : [part];
    return items.filter((item) => !came.some((one) => isExpected(item, one, meter))).map(missing);
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
