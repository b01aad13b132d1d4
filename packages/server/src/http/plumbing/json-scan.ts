import { Problem } from '@millrace/core';

/** Limits of the structure of a JSON text. */
export interface JsonLimits {
  /** Levels of nesting: later functions recurse over the value. */
  readonly depth: number;
  /** Values, counting containers. */
  readonly values: number;
  /** Bytes of one escaped string: many later checks look at every character. */
  readonly stringBytes: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const ampersand = 0x26;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Checks the structure of a JSON text in one pass over its bytes, before any recursive function reads it. Does not
 * check whether it is valid JSON.
 * @throws Problem `invalid`
 */
export function checkJsonLimits(bytes: Uint8Array, limits: JsonLimits): void {
  // Most bodies are too short to exceed a limit as valid JSON: each level needs two brackets.
  if (bytes.length <= Math.min(2 * limits.depth, limits.values, limits.stringBytes)) return;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      if (end - at > limits.stringBytes) reject('too_long', `A string may have at most ${limits.stringBytes} bytes`);
      at = end;
    } else if (byte === comma) values += 1;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      values += 1;
      if (depth > limits.depth) reject('too_deep', `JSON may be nested at most ${limits.depth} levels deep`);
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  if (values > limits.values) reject('too_many_values', `JSON may hold at most ${limits.values} values`);
}

/** The same for a form, which is flat. @throws Problem `invalid` */
export function checkFormLimits(bytes: Uint8Array, values: number): void {
  let count = 1;
  for (let at = bytes.indexOf(ampersand); at !== -1; at = bytes.indexOf(ampersand, at + 1)) count += 1;
  if (count > values) reject('too_many_values', `A form may have at most ${values} fields`);
}

/** The position of the closing quote; past the end if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function reject(type: string, msg: string): never {
  throw new Problem('invalid', [{ type, loc: ['body'], msg }]);
}
