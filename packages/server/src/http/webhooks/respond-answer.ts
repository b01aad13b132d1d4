import {
  type HttpAnswer,
  isAnswerHeader,
  isFile,
  isJsonType,
  isMediaType,
  isScriptType,
  type Json,
  mediaType,
} from '@millrace/core';

/** A response that is safe to send: it cannot act in the name of the service. */
export interface SafeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the status has no body. */
  readonly body: string | Buffer | WrittenAsJson | undefined;
}

/** A value whose JSON is sent. It may be large. */
interface WrittenAsJson {
  readonly json: Json;
}

/** Responses with these statuses have no body (RFC 9110). */
const bodylessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * An HTML response can run no scripts and belongs to no origin, because the API key is stored in the service's origin.
 */
const alwaysSent = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;

/** Makes the answer of a Respond node safe to send. */
export function safeAnswer({ status, headers, body }: HttpAnswer): SafeAnswer {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (isAnswerHeader(lower, value)) kept[lower] = value;
  }
  const { 'content-type': given, ...others } = kept;
  const known = Number.isInteger(status) && status >= 200 && status <= 599 ? status : 200;
  if (bodylessStatuses.has(known)) return { status: known, headers: { ...others, ...alwaysSent }, body: undefined };
  const type = given !== undefined && isSendable(given) ? given : defaultType(body);
  const sent = bytesOf(body, type);
  const named = Buffer.isBuffer(sent) ? type : withCharset(type);
  return { status: known, headers: { ...others, 'content-type': named, ...alwaysSent }, body: sent };
}

function bytesOf(body: Json, type: string): string | Buffer | WrittenAsJson {
  // Text is sent as written, even if its type is JSON.
  if (typeof body === 'string') return body;
  return isFile(body) && !isJsonType(mediaType(type)) ? Buffer.from(body.base64, 'base64') : { json: body };
}

/** The charset of JSON that the service writes, for receivers that do not take it for UTF-8. */
function withCharset(type: string): string {
  const isUnnamed = isJsonType(mediaType(type)) && !/;\s*charset\s*=/i.test(type);
  return isUnnamed ? `${type.replace(/[\s;]+$/, '')}; charset=utf-8` : type;
}

function isSendable(type: string): boolean {
  return isMediaType(type) && !isScriptType(type);
}

function defaultType(body: Json): string {
  if (isFile(body) && isSendable(body.content_type)) return body.content_type;
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
}
