import { isUtf8 } from 'node:buffer';

/** What the `Content-Disposition` of a part says (RFC 7578, 4.2). */
export interface PartName {
  readonly name: string;
  /** Null for a field. */
  readonly file: string | null;
}

/** A parameter. A quotation mark in the value is sent as `%22` by browsers and as `\"` by others. */
const parameter = /\s*;\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*=\s*(?:"((?:\\"|[^"])*)"(?=\s*(?:;|$))|([^\s;"]*))/iy;

/**
 * The name of a part and of its file; null if the header is not that of a part of a form.
 * @param header the value of the header, with one character per byte
 */
export function partNameIn(header: string): PartName | null {
  const kind = /^\s*form-data(?=\s*;)/i.exec(header);
  if (kind === null) return null;
  const values = new Map<string, string>();
  for (parameter.lastIndex = kind[0].length; parameter.lastIndex < header.trimEnd().length; ) {
    const found = parameter.exec(header);
    if (found === null) return null;
    const [, key = '', quoted, bare = ''] = found;
    values.set(key.toLowerCase(), quoted ?? bare);
  }
  const name = values.get('name');
  if (name === undefined) return null;
  const file = values.get('filename');
  return {
    name: textOf(name),
    file: extendedText(values.get('filename*')) ?? (file === undefined ? null : textOf(file)),
  };
}

/** Names are UTF-8 in practice; other bytes are Latin-1. */
function textOf(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : raw;
  return text.replaceAll('\\"', '"').replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));
}

/** A value with its charset (RFC 8187): `UTF-8''na%C3%AFve.txt`; null if there is none or it is not valid. */
function extendedText(raw: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(raw ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
