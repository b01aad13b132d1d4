import type { Json } from '../json.ts';
import { endOfString } from './json-text.ts';
import { runThrough, type SlicedWork } from './meter.ts';

/**
 * Where a number may begin to exceed what a double holds: at the sixteenth digit of an integer, as 2^53 has, or in an
 * exponent of three digits. (With one of two digits, only a number of 200 digits is too large.)
 */
const doubtful = /(?<![0-9])[0-9]{16}|[0-9][eE]\+?[0-9]{3}/g;
/** A number of JSON: quotes around anything else would make a text valid that is not JSON. */
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
/** An integer without a fraction and an exponent. */
const integer = /^[-+]?[0-9]+$/;

/** Numbers that are looked at before a pause: some 3 ms. */
const numbersPerPiece = 10_000;

/**
 * The value of a JSON text from outside, in which a number that a double cannot hold is text with the same characters:
 * an integer outside ±(2^53 − 1), such as the id of a message, or a number that would be infinite.
 * @throws SyntaxError if it is not JSON
 */
export function exactJson(text: string): Json {
  return runThrough(exactJsonInSlices(text));
}

/**
 * The same with pauses while there are many such numbers. The parser itself cannot pause.
 * @throws SyntaxError if it is not JSON
 */
export function* exactJsonInSlices(text: string): SlicedWork<Json> {
  const quoted = yield* withNumbers(text, (number) => `"${number}"`);
  try {
    return JSON.parse(quoted) as Json;
  } catch (error) {
    // The error names a place in the text, which must be the caller's text.
    if (quoted !== text) JSON.parse(text);
    throw error;
  }
}

/**
 * A value as JSON that `exactJson` reads as the same value. A large number, which a calculation or code can have, is written
 * with an exponent, because its digits alone would be read as text.
 */
export function exactJsonText(value: unknown, indent?: number): string {
  return runThrough(withNumbers(JSON.stringify(value, null, indent), (number) => Number(number).toExponential()));
}

/** The value of a number as it is written: text with the same characters if a double cannot hold it. */
export function exactNumber(characters: string): number | string {
  const value = Number(characters);
  const isExact = integer.test(characters) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isExact ? value : characters;
}

/** The text in which each number that `exactJson` reads as text is written in another way. */
function* withNumbers(text: string, write: (number: string) => string): SlicedWork<string> {
  let changed = '';
  let copied = 0;
  let seen = 0;
  let looked = 0;
  let string = nextString(text, 0);
  const search = new RegExp(doubtful);
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    while (string < found.index) {
      seen = endOfString(text, string) + 1;
      string = nextString(text, seen);
    }
    if (seen > found.index) {
      // Inside a string.
      search.lastIndex = seen;
      continue;
    }
    const from = beginOfNumber(text, found.index, seen);
    seen = endOfNumber(text, found.index);
    search.lastIndex = seen;
    const number = text.slice(from, seen);
    if (jsonNumber.test(number) && typeof exactNumber(number) === 'string') {
      changed += text.slice(copied, from) + write(number);
      copied = seen;
    }
    looked += 1;
    if (looked % numbersPerPiece === 0) yield;
  }
  return copied === 0 ? text : changed + text.slice(copied);
}

/** The place of the next quote; infinity if there is none. */
function nextString(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function beginOfNumber(text: string, at: number, least: number): number {
  let from = at;
  while (from > least && isOfNumber(text.charCodeAt(from - 1))) from -= 1;
  return from;
}

function endOfNumber(text: string, at: number): number {
  let to = at;
  while (isOfNumber(text.charCodeAt(to))) to += 1;
  return to;
}

const [plus, minus, point, zero, nine, upperE, lowerE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39, 0x45, 0x65];

function isOfNumber(unit: number): boolean {
  if (unit >= zero && unit <= nine) return true;
  return unit === minus || unit === plus || unit === point || unit === upperE || unit === lowerE;
}
