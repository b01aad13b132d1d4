import {
  answerJson,
  answerText,
  bodylessStatuses,
  charsetIssue,
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
  readonly body: Buffer | WrittenAsJson | undefined;
}

/** A value whose JSON is sent. It may be large. */
interface WrittenAsJson {
  readonly json: Json;
  /** The bytes of the JSON, in the charset of the response. */
  readonly bytesOf: (text: string) => Buffer;
}

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
  // A step with another charset fails, but earlier versions accepted any, and their responses may be sent again.
  const isKept = given !== undefined && isSendable(given) && charsetIssue(body, given) === null;
  const type = isKept ? given : defaultType(body);
  if (isFile(body) && !isJsonType(mediaType(type)))
    return {
      status: known,
      headers: { ...others, 'content-type': type, ...alwaysSent },
      body: Buffer.from(body.base64, 'base64'),
    };
  return {
    status: known,
    headers: { ...others, 'content-type': withCharset(type), ...alwaysSent },
    // Text is sent as written, even if its type is JSON.
    body: typeof body === 'string' ? encoded(answerText(body, type), body) : writtenLater(body, type),
  };
}

function writtenLater(json: Json, type: string): WrittenAsJson {
  return { json, bytesOf: (text) => encoded(answerJson(text, type), text) };
}

function encoded(written: ReturnType<typeof answerText>, text: string): Buffer {
  return written === null ? Buffer.from(text) : Buffer.from(written.text, written.encoding);
}

/** Names the charset of JSON, for receivers that do not take it for UTF-8. */
function withCharset(type: string): string {
  const isUnnamed = mediaType(type).includes('json') && !/;\s*charset\s*=/i.test(type);
  return isUnnamed ? `${type.trimEnd().replace(/;$/, '')}; charset=utf-8` : type;
}

function isSendable(type: string): boolean {
  return isMediaType(type) && !isScriptType(type);
}

function defaultType(body: Json): string {
  if (isFile(body) && isSendable(body.content_type)) return body.content_type;
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
}
