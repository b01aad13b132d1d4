import { isFile } from '../base/file-value.ts';
import { isJsonType, mediaType } from '../base/media-type.ts';
import type { Json } from '../json.ts';

/** How the text of a response is written. */
interface WrittenText {
  /** With `latin1`, each character is one byte. */
  readonly encoding: 'utf8' | 'latin1' | 'utf16le';
  readonly text: string;
}

/** The characters that Windows-1252 has at 80 to 9f. Five bytes have no character of their own. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const writers = {
  'utf-8': (text: string): WrittenText => ({ encoding: 'utf8', text }),
  'us-ascii': (text: string) => bytes(text, /[^\0-\x7f]/),
  'iso-8859-1': (text: string) => bytes(text, /[^\0-\xff]/),
  'windows-1252': (text: string) =>
    bytes(text, /[^\0-\x7f\xa0-\xff\x81\x8d\x8f\x90\x9d€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/, (all) =>
      all.replace(/[^\0-\xff]/g, (sign) => String.fromCharCode(0x80 + windowsCharacters.indexOf(sign))),
    ),
  'utf-16le': (text: string): WrittenText => ({ encoding: 'utf16le', text: text.toWellFormed() }),
  // Without a byte order mark, receivers disagree about the order (RFC 2781, 4.3).
  'utf-16': (text: string): WrittenText => ({
    encoding: 'utf16le',
    text: `${text.startsWith('\uFEFF') ? '' : '\uFEFF'}${text.toWellFormed()}`,
  }),
} as const;

type AnswerCharset = keyof typeof writers;

const otherNames: Readonly<Record<string, AnswerCharset>> = {
  utf8: 'utf-8',
  ascii: 'us-ascii',
  latin1: 'iso-8859-1',
  'iso8859-1': 'iso-8859-1',
  'iso_8859-1': 'iso-8859-1',
  cp1252: 'windows-1252',
};

/** The text as single bytes; null if it contains a character that has none. */
function bytes(text: string, missing: RegExp, write = (all: string) => all): WrittenText | null {
  return missing.test(text) ? null : { encoding: 'latin1', text: write(text) };
}

/** The charset that a content type names, as it is written there. */
function charsetName(contentType: string): string | null {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? null;
}

function charsetOf(contentType: string): AnswerCharset | null {
  const name = charsetName(contentType)?.toLowerCase() ?? 'utf-8';
  if (Object.hasOwn(writers, name)) return name as AnswerCharset;
  return Object.hasOwn(otherNames, name) ? (otherNames[name] ?? null) : null;
}

/** A text in the charset of its content type; null if it cannot be written in it. */
export function answerText(text: string, contentType: string): WrittenText | null {
  const charset = charsetOf(contentType);
  return charset === null ? null : writers[charset](text);
}

/** The text of JSON in the charset of its content type: JSON can escape any character that a charset does not have. */
export function answerJson(text: string, contentType: string): WrittenText | null {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return answerText(text, contentType) ?? answerText(text.replace(/[^\0-\x7f]/g, escaped), contentType);
}

/** Why a body cannot be sent with this content type; null if it can. The bytes of a file are sent as they are. */
export function charsetIssue(body: Json, contentType: string): string | null {
  if (isFile(body) && !isJsonType(mediaType(contentType))) return null;
  const charset = charsetOf(contentType);
  if (charset === null) {
    const known = Object.keys(writers).join(', ');
    return `'headers.content-type' has the charset '${charsetName(contentType)}', which responses cannot have: use one of ${known}.`;
  }
  if (typeof body !== 'string' || writers[charset](body) !== null) return null;
  return `'body' contains a character that the charset '${charset}' of 'headers.content-type' does not have: use utf-8.`;
}
