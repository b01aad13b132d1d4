import { isUtf8 } from 'node:buffer';
import { Problem } from '@millrace/core';
import { markedCharset } from '../../ground/charsets.ts';

const byteOrderMark = '\uFEFF';

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
