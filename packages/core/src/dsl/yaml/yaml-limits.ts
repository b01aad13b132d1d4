/** The limits of a text. */
export const yamlLimits = {
  /** In UTF-8: about four thousand nodes with their configs. */
  bytes: 256 * 1024,
  /** Levels of nesting: all later code that walks a value recurses this deep. */
  depth: 64,
  /** Values, the same limit as for a JSON body. */
  values: 50_000,
} as const;

/**
 * The reason why a text is too large to be parsed; null if it is not. One pass over its characters; nothing is built.
 * The parser itself enforces the depth before it recurses.
 */
export function tooLarge(text: string): string | null {
  const limit = `The text may have at most ${yamlLimits.bytes / 1024} KiB.`;
  if (text.length > yamlLimits.bytes || utf8Length(text) > yamlLimits.bytes) return limit;
  // Each value but the first is preceded by one of these, so this is an upper limit of the number of values.
  let values = 1;
  for (let at = 0; at < text.length; at += 1) if (startsValue(text, at)) values += 1;
  return values > yamlLimits.values ? `The text may hold at most ${yamlLimits.values} values and lines.` : null;
}

function startsValue(text: string, at: number): boolean {
  switch (text[at]) {
    case '\n':
    case '\r':
    case ',':
    case ':':
    case '[':
    case '{':
      return true;
    case '-':
    case '?':
      return text[at + 1] === ' ' || text[at + 1] === '\t';
    default:
      return false;
  }
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) length += 1;
    // Each half of a surrogate pair counts as two of the four bytes.
    if (code > 0x7ff && (code < 0xd800 || code > 0xdfff)) length += 1;
  }
  return length;
}
