/** How much a text may be. */
export const yamlLimits = {
  /** In UTF-8: some four thousand nodes with their configs. */
  bytes: 256 * 1024,
  /** Levels of nesting: all that walks a value afterwards calls itself as often. */
  depth: 64,
  /** Values, as in a JSON body. */
  values: 50_000,
} as const;

/**
 * Why a text is too large to be parsed; null when it is not. One pass over its characters: nothing is built yet.
 * Depth is the parser's to refuse, before it descends.
 */
export function tooLarge(text: string): string | null {
  const limit = `The text may have at most ${yamlLimits.bytes / 1024} KiB.`;
  if (text.length > yamlLimits.bytes || utf8Length(text) > yamlLimits.bytes) return limit;
  // Each value has one of these before it, or is the first: more values than that there cannot be.
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
    // Of a surrogate pair each half counts two of the four bytes.
    if (code > 0x7ff && (code < 0xd800 || code > 0xdfff)) length += 1;
  }
  return length;
}
