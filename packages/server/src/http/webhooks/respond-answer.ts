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

/** An answer as it goes out: nothing in it can speak for the service itself. */
export interface SafeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status has none. */
  readonly body: string | Buffer | undefined;
}

/** Answers of these statuses end with their headers (RFC 9110). */
const bodylessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Even an answer that is HTML runs no script and belongs to no origin: the API key lives in this one. */
const alwaysSent = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;

/** What a respond node answered, made safe to send. */
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
  return {
    status: known,
    headers: { ...others, 'content-type': type, ...alwaysSent },
    body: bytesOf(body, type),
  };
}

function bytesOf(body: Json, type: string): string | Buffer {
  // Text goes out as the author wrote it, also where they call it JSON.
  if (typeof body === 'string') return body;
  return isFile(body) && !isJsonType(mediaType(type)) ? Buffer.from(body.base64, 'base64') : JSON.stringify(body);
}

function isSendable(type: string): boolean {
  return isMediaType(type) && !isScriptType(type);
}

function defaultType(body: Json): string {
  if (isFile(body) && isSendable(body.content_type)) return body.content_type;
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
}
