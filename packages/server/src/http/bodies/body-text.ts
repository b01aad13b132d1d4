import { isUtf8 } from 'node:buffer';
import { Problem } from '@millrace/core';

const byteOrderMark = '\uFEFF';

/** The byte order marks of the encodings that have one, as Latin-1. */
const marks = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;

/** The charset that a content type names; null if it names none. */
export function charsetIn(contentType: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

/**
 * The text of a body, without its byte order mark, which names the charset with the highest priority.
 * @param charset null for UTF-8
 * @throws Problem `unsupported_media` for an unknown charset, `malformed` if the bytes are not text of this charset
 */
export function bodyText(bytes: Buffer, charset: string | null): string {
  const text = decodeText(bytes, markedCharset(bytes) ?? charset);
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** The text of bytes, with the byte order mark if there is one. @throws Problem like `bodyText` */
export function decodeText(bytes: Buffer, charset: string | null): string {
  if (charset === null || /^utf-?8$/i.test(charset)) {
    if (!isUtf8(bytes)) throw notText('utf-8');
    return bytes.toString();
  }
  const decoder = decoderOf(charset);
  try {
    return decoder.decode(bytes);
  } catch {
    throw notText(charset);
  }
}

/**
 * The charset of an XML document without a charset in its content type: that of its byte order mark or of its
 * declaration; null for UTF-8 (XML 1.0, appendix F).
 */
export function xmlCharset(bytes: Buffer): string | null {
  // A declaration is at the very start, is ASCII, and is short.
  const start = bytes.toString('latin1', 0, 200);
  return markedCharset(bytes) ?? /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? null;
}

function markedCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 3);
  return marks.find(([mark]) => start.startsWith(mark))?.[1] ?? null;
}

function decoderOf(charset: string): { decode(bytes: Buffer): string } {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  } catch {
    throw new Problem('unsupported_media', `The charset '${charset}' is not supported: send UTF-8.`);
  }
}

function notText(charset: string): Problem {
  return new Problem('malformed', `Request body is not ${charset.toUpperCase()} text.`);
}
