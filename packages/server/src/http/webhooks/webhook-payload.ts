import { bodyKindOf, bodyKinds, fileOf, isAccepted, type Json, Problem } from '@millrace/core';
import { parseJson } from '../plumbing/body-parser.ts';
import { fieldsObject, maxFormFields, payloadLimits, readForm } from './json-or-form.ts';

/** A raw body and the headers that describe it. */
export interface WebhookBody {
  /** Undefined without a body. */
  readonly bytes: Buffer | undefined;
  readonly contentType: string | undefined;
}

/** Longer than any media type in use: an error quotes at most this much. */
const shownTypeLength = 100;

/**
 * Parses a webhook's body by its content type: JSON of any shape, a form or multipart as an object, text and XML as
 * text, anything else as a file. No body is an empty object.
 * @throws Problem `unsupported_media` if the trigger does not accept the type, `malformed` if the body does not match
 * its type, `invalid` if it is nested too deeply or has too many values
 */
export function readPayload(body: WebhookBody, accepts: readonly string[] | null): Json | Promise<Json> {
  const { bytes, contentType } = body;
  if (bytes === undefined || bytes.length === 0) return {};
  if (!isAccepted(accepts, contentType)) throw unsupported(contentType, accepts ?? bodyKinds);
  switch (bodyKindOf(contentType)) {
    case 'json':
      return parseJson(bytes, payloadLimits);
    case 'form':
      return readForm(bytes);
    case 'multipart':
      return readMultipart(bytes, contentType ?? '');
    case 'text':
    case 'xml':
      return readText(bytes, contentType ?? '');
    case 'file':
      return fileOf({ name: 'file', type: contentType ?? '', size: bytes.length, base64: bytes.toString('base64') });
  }
}

function unsupported(contentType: string | undefined, accepts: readonly string[]): Problem {
  const given = contentType === undefined ? 'A body without a Content-Type' : `Content-Type '${shown(contentType)}'`;
  return new Problem('unsupported_media', `${given} is not accepted: this webhook accepts ${accepts.join(', ')}.`);
}

function shown(contentType: string): string {
  return contentType.slice(0, shownTypeLength);
}

function readText(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Problem('unsupported_media', `The charset '${charset}' is not supported: send UTF-8.`);
    }
    throw new Problem('malformed', `Request body is not ${charset.toUpperCase()} text.`);
  }
}

/** Fields and files (RFC 7578), parsed with the parser of Node's `fetch`. */
async function readMultipart(bytes: Buffer, contentType: string): Promise<Json> {
  checkParts(bytes);
  const parts = await formDataOf(bytes, contentType);
  const fields = await Promise.all([...parts].map(async ([name, value]) => [name, await fieldOf(value)] as const));
  return fieldsObject(fields);
}

async function formDataOf(bytes: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Problem('malformed', 'Request body is not multipart with the boundary in its Content-Type.');
  }
}

async function fieldOf(value: string | File): Promise<Json> {
  if (typeof value === 'string') return value;
  const content = Buffer.from(await value.arrayBuffer());
  return fileOf({ name: value.name, type: value.type, size: content.length, base64: content.toString('base64') });
}

/** Each part has this header, so there are at most as many parts. @throws Problem `invalid` */
function checkParts(bytes: Buffer): void {
  const text = bytes.toString('latin1').toLowerCase();
  const header = '\ncontent-disposition:';
  let count = 0;
  for (let at = text.indexOf(header); at !== -1; at = text.indexOf(header, at + 1)) count += 1;
  if (count <= maxFormFields) return;
  const msg = `A multipart body may have at most ${maxFormFields} parts`;
  throw new Problem('invalid', [{ type: 'too_many_values', loc: ['body'], msg }]);
}
