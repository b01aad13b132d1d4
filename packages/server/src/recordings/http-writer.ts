import { isUtf8 } from 'node:buffer';
import type { Exchange } from '@millrace/contract';
import {
  exactJson,
  finishedText,
  isSameJson,
  type Json,
  type OutboundRequest,
  type OutboundResponse,
} from '@millrace/core';
import { slices } from '../ground/slices.ts';
import { exact } from './exact.ts';
import { bodyOf, sentText } from './http-kind.ts';
import type { Writer } from './kind.ts';

/** HTTP requests, without their headers: these may have keys, and differ in each execution. */
export const httpWriter: Writer<Exchange, OutboundRequest, OutboundResponse> = {
  key: 'http',
  askedIn(asked) {
    const { method, url } = asked;
    const text = sentText(asked);
    const request = { method: method as NonNullable<Exchange['request']['method']>, url };
    return { request: text === null ? request : { ...request, body: sentBody(text) } };
  },
  async entryOf(asked, answer) {
    const { status, url, headers, cookies = [] } = answer;
    const response = {
      status,
      ...(url !== asked.url && { url }),
      headers: { ...headers, ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) },
      ...(await receivedBody(answer)),
    };
    return { ...httpWriter.askedIn(asked), response };
  },
};

/** Characters of JSON that is parsed, for readers of the recording: at once, it takes a millisecond or two. */
const readableLength = 262_144;

/** A text stands for itself, so JSON that is a text, or that would be read as a part of a value, remains JSON. */
function sentBody(text: string): Json {
  if (text.length > readableLength) return text;
  const value = bodyOf(text);
  return isReadable(value, text) ? (exact(value) ?? text) : text;
}

type Received = Pick<NonNullable<Exchange['response']>, 'body' | 'body_base64'>;

/** JSON as a value, without its white space, unless it is long; other text as it is; anything else as its bytes. */
async function receivedBody({ headers, body }: OutboundResponse): Promise<Received> {
  if (body.size === 0) return {};
  const base64 = await slices.finish(finishedText(body.base64()));
  const bytes = Buffer.from(base64, 'base64');
  // A text is written as UTF-8. What is not UTF-8 need not be decoded, which may take long.
  if (!isUtf8(bytes)) return { body_base64: base64 };
  const text = await slices.finish(finishedText(body.text()));
  if (!Buffer.from(text).equals(bytes)) return { body_base64: base64 };
  const isJson = /^\s*[^;]*[/+]json\b/i.test(headers['content-type'] ?? '');
  if (!isJson || text.length > readableLength) return { body: text };
  const value = bodyOf(text);
  return { body: isReadable(value, text) ? value : text };
}

/** Whether JSON may be stored as a value: a text stands for itself, and large numbers would lose digits. */
function isReadable(value: Json | undefined, text: string): value is Json {
  return value !== undefined && typeof value !== 'string' && isSameJson(exactJson(text), value);
}
