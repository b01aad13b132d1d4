import { bodyKindOf, bodyKinds, fileOf, isAccepted, type Json, Problem } from '@millrace/core';
import { charsetIn, xmlCharset } from '../../ground/charsets.ts';
import { bodyText } from '../bodies/body-text.ts';
import { readForm } from '../bodies/form.ts';
import { readJson } from '../bodies/json-or-form.ts';
import { readMultipart } from '../bodies/multipart.ts';

/** A body without its Content-Encoding, and its type. */
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
      return readJson(bytes, contentType);
    case 'form':
      return readForm(bytes, charsetIn(contentType));
    case 'multipart':
      return readMultipart(bytes, contentType ?? '');
    case 'text':
      return bodyText(bytes, charsetIn(contentType));
    case 'xml':
      return bodyText(bytes, charsetIn(contentType) ?? xmlCharset(bytes));
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
