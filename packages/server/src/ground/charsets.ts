/** The byte order marks of the encodings that have one, as Latin-1. */
const marks = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;

/** The charset that a content type names; null if it names none. Some senders put it in single quotes. */
export function charsetIn(contentType: string | undefined): string | null {
  const name = /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? null;
  return name === null ? null : knownName(name);
}

/** The charset of the byte order mark of a text; null if it has none. */
export function markedCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 3);
  return marks.find(([mark]) => start.startsWith(mark))?.[1] ?? null;
}

/**
 * The charset of an XML document without a charset in its content type: that of its byte order mark or of its
 * declaration; null for UTF-8 (XML 1.0, appendix F).
 */
export function xmlCharset(bytes: Buffer): string | null {
  const marked = markedCharset(bytes) ?? wideCharset(bytes);
  if (marked !== null) return marked;
  // A declaration is at the very start, is ASCII, and is short.
  const start = bytes.toString('latin1', 0, 200);
  const declared = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // Text that was converted to UTF-8 often still declares UTF-16, in which the declaration would have other bytes.
  return declared === undefined || /^(?:utf-?16|utf-?32|ucs-?[24])/i.test(declared) ? null : knownName(declared);
}

/** UTF-16 by the zeros in the first characters of a document without a mark. */
function wideCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 4);
  if (/^<\0[^\0]\0$/.test(start)) return 'utf-16le';
  return /^\0<\0[^\0]$/.test(start) ? 'utf-16be' : null;
}

/** Senders that name ASCII often send UTF-8, which contains it. Decoders take the name for Windows-1252. */
function knownName(charset: string): string {
  return /^(?:us-)?ascii$/i.test(charset) ? 'utf-8' : charset;
}
