/** The structure that a JSON text may have. */
export interface JsonLimits {
  /** Levels of nesting: later functions recurse over the value. */
  readonly depth: number;
  /** Values, counting lists and objects. */
  readonly values: number;
  /** Characters of one escaped string: many later checks look at every character. */
  readonly stringLength: number;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Finds the first limit that a JSON text exceeds, in one pass and before it is parsed: parsing millions of
 * values takes much longer. Counts an empty list or object like one with a value. Does not check whether the text is
 * JSON.
 */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | null {
  // Most texts are too short to exceed a limit as valid JSON: each level needs two brackets.
  if (text.length <= Math.min(2 * limits.depth, limits.values, limits.stringLength)) return null;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      const end = endOfString(text, at);
      if (end - at > limits.stringLength) return 'stringLength';
      at = end;
    } else if (unit === comma) values += 1;
    else if (unit === openBrace || unit === openBracket) {
      depth += 1;
      values += 1;
      if (depth > limits.depth) return 'depth';
    } else if (unit === closeBrace || unit === closeBracket) depth -= 1;
    if (values > limits.values) return 'values';
  }
  return null;
}

/** The position of the closing quote; past the end if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}
