import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { finishedText, mediaType, type SlicedText, type SlicedWork } from '@millrace/core';

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

/** As many bytes of a document are searched (HTML standard, 13.2.3.2). */
const htmlStartLength = 1024;
/** A comment, or a tag with its attributes. */
const htmlPart = /<!--[\s\S]*?-->|<\/?[a-z](?:"[^"]*"|'[^']*'|[^>"'])*>/gi;
const htmlAttribute = /([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/** The charset that a `<meta>` at the start of an HTML document names; null if there is none. */
function htmlCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, htmlStartLength);
  for (const [part] of start.matchAll(htmlPart)) {
    const declared = /^<meta[\s/]/i.test(part) ? metaCharset(part) : null;
    // A document in UTF-16 could not be searched like this (HTML standard, 13.2.3.2, prescan).
    if (declared !== null) return /^utf-?16/i.test(declared) ? 'utf-8' : knownName(declared);
  }
  return null;
}

function metaCharset(tag: string): string | null {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of tag.matchAll(htmlAttribute)) {
    const lower = name.toLowerCase();
    if (!attributes.has(lower)) attributes.set(lower, (double ?? single ?? bare ?? '').trim());
  }
  const isType = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
  const named = attributes.get('charset') ?? (isType ? charsetOfContent(attributes.get('content') ?? '') : null);
  return named === null || named === '' ? null : named;
}

function charsetOfContent(content: string): string | null {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(content)?.[1] ?? null;
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

/** The text of an answer, by its byte order mark, its content type or its own declaration; of a long one, the work. */
export function decodedText(bytes: Buffer, contentType: string | undefined): SlicedText {
  return decode(bytes, decoderFor(bytes, charsetOf(bytes, contentType)));
}

/** The charset that an answer names; null if it names none. */
function charsetOf(bytes: Buffer, contentType = ''): string | null {
  const named = markedCharset(bytes) ?? charsetIn(contentType);
  if (named !== null) return named;
  if (mediaType(contentType) === 'text/html') return htmlCharset(bytes);
  return /^\s*[^;]*[/+]xml\b/i.test(contentType) ? xmlCharset(bytes) : null;
}

/**
 * What names no charset and is not UTF-8 is nearly always Windows-1252 or the part of it that is Latin-1: each byte is a
 * character then, so that nothing is lost.
 */
function decoderFor(bytes: Buffer, charset: string | null): TextDecoder {
  try {
    return new TextDecoder(charset ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252'));
  } catch {
    // An unknown charset name is ignored.
    return decoderFor(bytes, null);
  }
}

/** Bytes decoded before a pause. Some charsets take 4 ms for them, if they are not text in that charset. */
const partSize = 16_384;

function decode(bytes: Buffer, decoder: TextDecoder): SlicedText {
  if (bytes.length > partSize && !(decoder.encoding === 'utf-8' && isUtf8(bytes))) return decodeInParts(bytes, decoder);
  return decoder.decode(bytes);
}

/** More characters that cannot be decoded than this, and more than one in a hundred, show that the charset is wrong. */
const maxUndecodable = 1000;

/**
 * Decodes a long text. A charset that it is not in is ignored, like an unknown one: to decode what is not text in EUC-JP
 * takes a hundred times longer than text. That UTF-8 and UTF-16 are wrong is less likely than that the text is damaged.
 */
function* decodeInParts(bytes: Buffer, decoder: TextDecoder): SlicedWork<string> {
  const parts: string[] = [];
  const isChecked = !decoder.encoding.startsWith('utf-');
  let undecodable = 0;
  let length = 0;
  for (let start = 0; start < bytes.length; start += partSize) {
    const end = start + partSize;
    const part = decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length });
    parts.push(part);
    length += part.length;
    if (isChecked) undecodable += part.split('\uFFFD').length - 1;
    if (undecodable > maxUndecodable && undecodable > length / 100) {
      const other = decoderFor(bytes, null);
      if (other.encoding !== decoder.encoding) return yield* finishedText(decode(bytes, other));
    }
    yield;
  }
  return parts.join('');
}
