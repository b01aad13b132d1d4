import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Problem } from '@millrace/core';
import type { FastifyRequest } from 'fastify';

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decodeGzip: Decoder = promisify(gunzip);
const decodeZlib: Decoder = promisify(inflate);
const decodeRaw: Decoder = promisify(inflateRaw);

/** The encodings that are decoded (RFC 9110, 8.4.1). Some senders use `deflate` for data without the zlib header. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['deflate', (bytes, options) => (hasZlibHeader(bytes) ? decodeZlib : decodeRaw)(bytes, options)],
  ['br', promisify(brotliDecompress)],
]);

/** The value of `Accept-Encoding` in the response to any other encoding. */
const accepted = ['gzip', 'deflate', 'br'];

/** No sender uses more than two; each one costs as much as a body of the largest size. */
const maxEncodings = 3;

/**
 * The body of a request without its `Content-Encoding`. The bytes of an encoded body count as held by the request.
 * @param limit the most bytes of the decoded body
 * @throws Problem `unsupported_media` for an unknown encoding, `malformed` for data that is not encoded that way,
 * `too_large`, `overloaded`
 */
export function decodedBody(request: FastifyRequest, bytes: Buffer, limit: number): Buffer | Promise<Buffer> {
  const header = request.headers['content-encoding'];
  return header === undefined || bytes.length === 0 ? bytes : decode(request, bytes, { header, limit });
}

async function decode(
  request: FastifyRequest,
  bytes: Buffer,
  { header, limit }: { readonly header: string; readonly limit: number },
): Promise<Buffer> {
  const names = encodingsIn(header);
  const unknown = names.find((name) => !decoders.has(name));
  if (unknown !== undefined || names.length > maxEncodings) throw unsupported(header);
  let decoded = bytes;
  // The header lists the encodings in the order in which they were applied.
  for (const name of names.toReversed()) decoded = await decodeOne(name, decoded, limit);
  if (names.length > 0) request.holdBody(decoded.length);
  return decoded;
}

function encodingsIn(header: string): string[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

async function decodeOne(name: string, bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return (await decoders.get(name)?.(bytes, { maxOutputLength: limit })) ?? bytes;
  } catch (error) {
    if (error instanceof RangeError) throw new Problem('too_large', 'Request body is too large when it is decoded.');
    throw new Problem('malformed', `Request body is not valid '${name}' data, as its Content-Encoding says.`);
  }
}

/** Whether data starts with the header of RFC 1950: method 8, and a checksum. */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** The longest header that an error quotes. */
const shownLength = 100;

function unsupported(header: string): Problem {
  const detail = `Content-Encoding '${header.slice(0, shownLength)}' is not supported: send gzip, deflate, br, or none.`;
  return new Problem('unsupported_media', detail, { acceptEncoding: accepted });
}
