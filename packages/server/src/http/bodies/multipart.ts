import { Dicer } from '@fastify/busboy';
import { fileOf, type Json, type JsonObject, Problem } from '@millrace/core';
import { charsetIn } from '../../ground/charsets.ts';
import { bodyText } from './body-text.ts';
import { fieldsObject, maxFormFields } from './form.ts';
import { type PartName, partNameIn } from './multipart-header.ts';

/** A part has up to three headers. The parser reads at most 80 KiB of them. */
const maxPartHeaders = 20;
/** RFC 2046, 5.1.1 allows 70 characters; the parser compares at most this many at each position. */
const maxBoundaryLength = 200;
/** Bytes that are parsed before other requests are served: a few milliseconds of work, whatever they contain. */
const pieceBytes = 16 * 1024;

type Headers = Readonly<Record<string, readonly string[] | undefined>>;

interface Part {
  headers: Headers;
  readonly chunks: Buffer[];
}

/**
 * The fields and files of a multipart form (RFC 7578) as an object.
 * @throws Problem `malformed` if it is not multipart, `invalid` if it has too many parts
 */
export async function readMultipart(bytes: Buffer, contentType: string): Promise<JsonObject> {
  const boundary = boundaryIn(contentType);
  if (boundary === null) throw notMultipart();
  const parts = await partsOf(bytes, boundary);
  return fieldsObject(parts.map(fieldOf));
}

function boundaryIn(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined || boundary.length > maxBoundaryLength ? null : boundary;
}

/** Parses the body in pieces. The parts are in memory already, so nothing is gained by streams after this point. */
function partsOf(bytes: Buffer, boundary: string): Promise<readonly Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Part[]>();
  const parts: Part[] = [];
  const parser = new Dicer({ boundary, maxHeaderPairs: maxPartHeaders });
  parser.on('part', (stream) => {
    const part: Part = { headers: {}, chunks: [] };
    parts.push(part);
    if (parts.length > maxFormFields) reject(tooManyParts());
    stream.on('header', (headers) => {
      part.headers = headers as Headers;
    });
    stream.on('data', (chunk: Buffer) => part.chunks.push(chunk));
    stream.on('error', () => reject(notMultipart()));
  });
  parser.on('error', () => reject(notMultipart()));
  parser.on('finish', () => resolve(parts));
  feed(parser, bytes, () => parts.length > maxFormFields);
  return promise;
}

function feed(parser: Dicer, bytes: Buffer, isOver: () => boolean): void {
  let at = 0;
  const next = (): void => {
    if (isOver()) return;
    if (at >= bytes.length) return void parser.end();
    const piece = bytes.subarray(at, at + pieceBytes);
    at += pieceBytes;
    parser.write(piece, () => setImmediate(next));
  };
  next();
}

function fieldOf({ headers, chunks }: Part): readonly [name: string, value: Json] {
  const named = partNameIn(headers['content-disposition']?.[0] ?? '');
  if (named === null) {
    throw new Problem('malformed', 'A part of the multipart body has no name in its Content-Disposition.');
  }
  return [named.name, contentValue(named, headers, contentOf(headers, Buffer.concat(chunks)))];
}

function contentValue({ file }: PartName, headers: Headers, content: Buffer): Json {
  const type = headers['content-type']?.[0] ?? '';
  if (file === null) return bodyText(content, charsetIn(type));
  return fileOf({ name: file, type, size: content.length, base64: content.toString('base64') });
}

/** Some mail gateways still encode parts, although RFC 7578, 4.7 no longer allows it. */
function contentOf(headers: Headers, content: Buffer): Buffer {
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? 'binary';
  if (['binary', '7bit', '8bit'].includes(encoding)) return content;
  if (encoding === 'base64') return decodedBase64(content.toString('latin1'));
  throw new Problem('malformed', "The Content-Transfer-Encoding of a part must be 'binary' or 'base64'.");
}

/** Buffer skips characters that are not base64, and ends at the first padding. */
function decodedBase64(text: string): Buffer {
  const encoded = text.replace(/\s+/g, '');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')) return bytes;
  throw new Problem('malformed', 'A part of the multipart body is not base64, as its Content-Transfer-Encoding says.');
}

function notMultipart(): Problem {
  return new Problem('malformed', 'Request body is not multipart with the boundary in its Content-Type.');
}

function tooManyParts(): Problem {
  const msg = `A multipart body may have at most ${maxFormFields} parts`;
  return new Problem('invalid', [{ type: 'too_many_values', loc: ['body'], msg }]);
}
