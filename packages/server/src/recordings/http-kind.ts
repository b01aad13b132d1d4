import type { Exchange } from '@millrace/contract';
import { isObject, type Json, type OutboundRequest, type OutboundResponse, own } from '@millrace/core';
import { decodedText } from '../ground/charsets.ts';
import { differences, isExpected, shown } from './difference.ts';
import type { Kind } from './kind.ts';
import type { Recording } from './recordings.ts';

/** HTTP requests: no connection is made. */
export const httpKind: Kind<Exchange, OutboundRequest, OutboundResponse> = {
  key: 'http',
  failure: 'http_connection',
  nameOf: ({ request: { method = 'GET', url } }, index) => `http[${index}] (${method} ${textOf(url)})`,
  fits: (entry, request) => isNear(entry, request) && failuresOf(entry, request).length === 0,
  answerOf({ response = {} }, request) {
    const { url = request.url } = response;
    const isFromHome = URL.parse(url)?.origin === URL.parse(request.url)?.origin;
    return { url, isFromHome, ...responseOf(response, request) };
  },
  wordsOf(request) {
    const { method, url } = request;
    const body = sentText(request);
    return `${method} ${url}${body === null ? '' : ` with the body ${shown(bodyOf(body))}`}`;
  },
  hint: (request, recordings) => hintOf(request, recordings),
};

/** Whether method and address are the recorded ones: bodies may be large. */
function isNear({ request: wanted }: Exchange, { method, url }: OutboundRequest): boolean {
  return (wanted.method ?? 'GET') === method && isExpected(wanted.url, url);
}

/** Why the recording of the same address does not match. */
function hintOf(request: OutboundRequest, recordings: readonly Recording<Exchange>[]): string {
  const near = recordings.filter(({ given }) => isNear(given, request));
  const open = near.find(({ left }) => left > 0);
  const [failure] = open === undefined ? [] : failuresOf(open.given, request);
  if (failure !== undefined)
    return ` ${open?.name} has a different ${failure.at}: ${failure.expected}, not ${failure.came}.`;
  const [used] = near;
  return used === undefined
    ? ''
    : ` ${used.name} was used as often as it allows: set 'times', or add another recording.`;
}

/** How a request differs from a recording; headers and body only as far as the recording names them. */
function failuresOf({ request: wanted }: Exchange, request: OutboundRequest) {
  const { method, url, headers } = request;
  const body = sentText(request);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const asText = typeof wanted.body === 'string' || (wanted.body !== undefined && isTextPart(wanted.body));
  return [
    ...differences(wanted.method ?? 'GET', method, 'method'),
    ...differences(wanted.url, url, 'url'),
    ...Object.entries(wanted.headers ?? {}).flatMap(([name, value]) =>
      differences(value, sent.get(name.toLowerCase()), `headers.${name}`),
    ),
    ...(wanted.body === undefined ? [] : differences(wanted.body, asText ? (body ?? undefined) : bodyOf(body), 'body')),
  ];
}

function isTextPart(body: Json): boolean {
  return isObject(body) && typeof own(body, 'contains') === 'string';
}

/** The body of a request as text: for files, their bytes read as UTF-8. Each execution has another multipart boundary. */
export function sentText({ headers, body }: Pick<OutboundRequest, 'headers' | 'body'>): string | null {
  if (body === null) return null;
  if (typeof body === 'string') return body;
  const text = body
    .map((part) => (typeof part === 'string' ? part : Buffer.from(part.base64, 'base64').toString()))
    .join('');
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const boundary = /^multipart\/[^;]+;\s*boundary=([\w-]+)$/i.exec(type)?.[1];
  return boundary === undefined ? text : text.replaceAll(`--${boundary}`, '--boundary');
}

/** A body as JSON, or as text if it is not JSON. */
export function bodyOf(body: string | null): Json | undefined {
  if (body === null) return undefined;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

/** A recorded answer of JSON-RPC, as MCP servers give it, has the id of its request unless it has another one. */
function withId(body: Json, request: OutboundRequest): Json {
  if (!isObject(body) || body.jsonrpc !== '2.0' || body.id !== undefined) return body;
  const sent = bodyOf(sentText(request));
  return { ...body, id: (sent !== undefined && isObject(sent) ? own(sent, 'id') : undefined) ?? null };
}

function responseOf(
  { status = 200, headers = {}, body: given, body_base64: base64 }: NonNullable<Exchange['response']>,
  request: OutboundRequest,
) {
  const body = given === undefined ? undefined : withId(given, request);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const plain = named.flatMap(([name, value]) =>
    name === 'set-cookie' ? [] : [[name, typeof value === 'string' ? value : value.join(', ')] as const],
  );
  const cookies = named.flatMap(([name, value]) => (name === 'set-cookie' ? [value].flat() : []));
  const sent = { ...(body !== undefined && { 'content-type': type }), ...Object.fromEntries(plain) };
  const bytes = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  return {
    status,
    headers: sent,
    ...(cookies.length > 0 && { cookies }),
    body: {
      size: bytes.length,
      text: () => (base64 === undefined ? text : decodedText(bytes, sent['content-type'])),
      base64: () => bytes.toString('base64'),
    },
  };
}

function textOf(url: Exchange['request']['url']): string {
  return typeof url === 'string' ? url : `…${url.contains}…`;
}
