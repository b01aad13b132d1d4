import { isObject, type Json, type OutboundRequest, type OutboundResponse, own, StepError } from '@millrace/core';
import { differences, isExpected, shown } from './difference.ts';
import { Recordings } from './recordings.ts';
import type { Exchange } from './test-schema.ts';

/** Answers the requests of a test's steps from its recordings. */
export class RecordedHttp {
  readonly #recordings: Recordings<Exchange>;

  constructor(exchanges: readonly Exchange[]) {
    const nameOf = ({ request: { method, url } }: Exchange, index: number) =>
      `http[${index}] (${method} ${textOf(url)})`;
    this.#recordings = new Recordings(exchanges, nameOf);
  }

  get failures(): readonly string[] {
    return this.#recordings.failures;
  }

  /** @throws StepError http_blocked for a request without a recording, http_connection if the recording says so */
  answer(request: OutboundRequest): OutboundResponse {
    const found = this.#recordings.take((exchange) => failuresOf(exchange, request).length === 0);
    if (found === undefined) throw this.#reject(request);
    const { response, fails = '' } = found;
    if (response === undefined) throw new StepError('http_connection', fails, { retryable: true });
    return { url: request.url, isFromHome: true, ...responseOf(response, request) };
  }

  #reject(request: OutboundRequest): StepError {
    const { method, url } = request;
    const body = sentText(request.body);
    const sent = body === null ? '' : ` with the body ${shown(bodyOf(body))}`;
    const message = `No recording answers ${method} ${url}${sent}.${this.#hint(request)}`;
    this.#recordings.miss(message);
    return new StepError('http_blocked', message);
  }

  /** Why the recording of the same address does not match. */
  #hint(request: OutboundRequest): string {
    const { method, url } = request;
    const near = this.#recordings.all.filter(
      ({ given }) => given.request.method === method && isExpected(given.request.url, url),
    );
    const open = near.find(({ left }) => left > 0);
    const [failure] = open === undefined ? [] : failuresOf(open.given, request);
    if (failure !== undefined)
      return ` ${open?.name} has a different ${failure.at}: ${failure.expected}, not ${failure.came}.`;
    const [used] = near;
    return used === undefined
      ? ''
      : ` ${used.name} was used as often as it allows: set 'times', or add another recording.`;
  }
}

/** How a request differs from a recording; headers and body only as far as the recording names them. */
function failuresOf({ request: wanted }: Exchange, { method, url, headers, body: encoded }: OutboundRequest) {
  const body = sentText(encoded);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const asText = typeof wanted.body === 'string' || (wanted.body !== undefined && isTextPart(wanted.body));
  return [
    ...differences(wanted.method, method, 'method'),
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

/** A body as text: for files, their bytes read as UTF-8. */
function sentText(body: OutboundRequest['body']): string | null {
  if (typeof body === 'string' || body === null) return body;
  return body.map((part) => (typeof part === 'string' ? part : Buffer.from(part.base64, 'base64').toString())).join('');
}

/** A body as JSON, or as text if it is not JSON. */
function bodyOf(body: string | null): Json | undefined {
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
  const sent = bodyOf(sentText(request.body));
  return { ...body, id: (sent !== undefined && isObject(sent) ? own(sent, 'id') : undefined) ?? null };
}

function responseOf(
  { status, headers = {}, body: given }: NonNullable<Exchange['response']>,
  request: OutboundRequest,
) {
  const body = given === undefined ? undefined : withId(given, request);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const plain = named.filter(([name]) => name !== 'set-cookie');
  const cookies = named.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []));
  const bytes = Buffer.from(text);
  return {
    status,
    headers: { ...(body !== undefined && { 'content-type': type }), ...Object.fromEntries(plain) },
    ...(cookies.length > 0 && { cookies }),
    body: { size: bytes.length, text: () => text, base64: () => bytes.toString('base64') },
  };
}

function textOf(url: Exchange['request']['url']): string {
  return typeof url === 'string' ? url : `…${url.contains}…`;
}
