import { NameCount } from './name-count.ts';

/** The structure that a JSON text may have. */
export interface JsonLimits {
  /** Levels of nesting: later functions recurse over the value. */
  readonly depth: number;
  /** Values, counting lists and objects. */
  readonly values: number;
  /** Lists and objects, which take longer to parse and to walk than other values. */
  readonly containers: number;
  /**
   * Names of objects, where a name that follows the same names as in an earlier object does not count again. A parser
   * creates a shape for each of them, which takes much longer than a value: the rows of a table have one shape.
   */
  readonly names: number;
  /** Characters of one escaped string: many later checks look at every character. */
  readonly stringLength: number;
}

/** Parsing as many lists takes some 0.1 s. Each pair of numbers in a large table of coordinates is a list. */
export const maxContainers = 500_000;
/** Parsing as many names takes 0.05 s in one object, and 0.2 s if each object of ten names has other ones. */
export const maxDifferentNames = 100_000;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Finds the first limit that a JSON text exceeds, in one pass and before it is parsed: parsing hundreds of thousands of
 * different names takes much longer. Counts an empty list or object like one with a value. Does not check whether the
 * text is JSON.
 */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | null {
  // Most texts are too short to exceed a limit as valid JSON: each level needs two brackets.
  const least = [2 * limits.depth, limits.values, 2 * limits.containers, 3 * limits.names, limits.stringLength];
  if (text.length <= Math.min(...least)) return null;
  const names = new NameCount(text, limits.names);
  let depth = 0;
  let values = 1;
  let containers = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      start = at;
      end = endOfString(text, at);
      if (end - at > limits.stringLength) return 'stringLength';
      at = end;
    } else if (unit === comma) values += 1;
    else if (unit === colon) {
      if (!names.add(start, end)) return 'names';
    } else if (unit === openBrace || unit === openBracket) {
      depth += 1;
      values += 1;
      containers += 1;
      if (depth > limits.depth) return 'depth';
      if (containers > limits.containers) return 'containers';
      names.open();
    } else if (unit === closeBrace || unit === closeBracket) {
      depth -= 1;
      names.close();
    }
    if (values > limits.values) return 'values';
  }
  return null;
}

/** The place of the quote that ends a string of a JSON text; past the end if there is none. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}
