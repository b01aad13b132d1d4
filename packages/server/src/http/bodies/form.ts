import type { Json, JsonObject } from '@millrace/core';
import { checkFormLimits } from './body-limits.ts';
import { decodeText } from './body-text.ts';

/** Real forms have tens of fields; parsing a hundred thousand takes seconds. */
export const maxFormFields = 1_000;

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/**
 * The fields of an URL-encoded form as an object. The charset applies to the bytes behind the percent signs.
 * @param charset null for UTF-8
 * @throws Problem `invalid` if there are too many, `malformed` or `unsupported_media` for their text
 */
export function readForm(bytes: Buffer, charset: string | null): JsonObject {
  checkFormLimits(bytes, maxFormFields);
  // As Latin-1, so that each character is one byte.
  const isMarked = bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf';
  const text = bytes.toString('latin1', isMarked ? 3 : 0);
  const decoded = (part: string) => fieldText(part, isMarked ? null : charset);
  const fields = text.split('&').filter((field) => field !== '');
  return fieldsObject(
    fields.map((field) => {
      const equals = field.indexOf('=');
      return equals === -1 ? [decoded(field), ''] : [decoded(field.slice(0, equals)), decoded(field.slice(equals + 1))];
    }),
  );
}

/** Names and their values; for a repeated name, the list of its values. */
export function fieldsObject(fields: Iterable<readonly [name: string, value: Json]>): JsonObject {
  const values = new Map<string, Json[]>();
  for (const [name, value] of fields) {
    const all = values.get(name);
    if (all === undefined) values.set(name, [value]);
    else all.push(value);
  }
  // fromEntries creates own properties, even for a name such as __proto__.
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]));
}

function fieldText(part: string, charset: string | null): string {
  return decodeText(percentDecoded(Buffer.from(part, 'latin1')), charset);
}

/** Decodes in place. A percent sign without two hexadecimal digits stays, as in browsers. */
function percentDecoded(bytes: Buffer): Buffer {
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = byte === percent ? hexDigit(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : hexDigit(bytes[at + 2]);
    if (low !== -1) at += 2;
    bytes[end] = low !== -1 ? high * 16 + low : byte === plus ? space : byte;
    end += 1;
  }
  return bytes.subarray(0, end);
}

/** The value of a hexadecimal digit; -1 for any other byte. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
