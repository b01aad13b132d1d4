import type { Exchange } from '@millrace/contract';
import {
  isObject,
  type Json,
  jsonCharactersPerStep,
  type OutboundRequest,
  type OutboundResponse,
  own,
  parsedJson,
  type SlicedWork,
} from '@millrace/core';
import { decodedText } from '../ground/charsets.ts';
import { differences, shown } from './difference.ts';
import type { Kind } from './kind.ts';
import { Allowance, AllowanceSpent, isExpected, Matching, type Spending } from './matching.ts';
import type { Recording } from './recordings.ts';

/** HTTP requests: no connection is made. */
export const httpKind: Kind<Exchange, OutboundRequest, OutboundResponse> = {
  key: 'http',
  failure: 'http_connection',
  nameOf: ({ request: { method = 'GET', url } }, index) => `http[${index}] (${method} ${textOf(url)})`,
  fitting(request, meter) {
    const matching = new Matching(meter);
    const sent = new SentRequest(request);
    return function* ({ request: wanted }) {
      meter.spend(1);
      if ((wanted.method ?? 'GET') !== request.method) return false;
      if (!(yield* matching.of(wanted.url, request.url))) return false;
      for (const [name, value] of Object.entries(wanted.headers ?? {}))
        if (!(yield* matching.of(value, sent.headers.get(name.toLowerCase())))) return false;
      if (wanted.body === undefined) return true;
      return yield* matching.of(wanted.body, isText(wanted.body) ? sent.text(meter) : yield* sent.json(meter));
    };
  },
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
  hint(request, recordings) {
    try {
      return hintOf(request, recordings, new Allowance(hintSteps));
    } catch (error) {
      if (error instanceof AllowanceSpent) return '';
      throw error;
    }
  },
};

/** Steps of comparisons for a hint, about ten milliseconds: an answer without it is better than one that takes longer. */
const hintSteps = 100_000;

/** Whether method and address are the recorded ones: bodies may be large. */
function isNear({ request: wanted }: Exchange, { method, url }: OutboundRequest, meter: Spending): boolean {
  return (wanted.method ?? 'GET') === method && isExpected(wanted.url, url, meter);
}

/** Why the recording of the same address does not match. */
function hintOf(request: OutboundRequest, recordings: readonly Recording<Exchange>[], meter: Spending): string {
  const near = recordings.filter(({ given }) => isNear(given, request, meter));
  const open = near.find(({ left }) => left > 0);
  const [failure] = open === undefined ? [] : failuresOf(open.given, request, meter);
  if (failure !== undefined)
    return ` ${open?.name} has a different ${failure.at}: ${failure.expected}, not ${failure.came}.`;
  const [used] = near;
  return used === undefined
    ? ''
    : ` ${used.name} was used as often as it allows: set 'times', or add another recording.`;
}

/** How a request differs from a recording; headers and body only as far as the recording names them. */
function failuresOf({ request: wanted }: Exchange, request: OutboundRequest, meter: Spending) {
  const { method, url, headers } = request;
  const body = sentText(request);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return [
    ...differences(wanted.method ?? 'GET', method, 'method', meter),
    ...differences(wanted.url, url, 'url', meter),
    ...Object.entries(wanted.headers ?? {}).flatMap(([name, value]) =>
      differences(value, sent.get(name.toLowerCase()), `headers.${name}`, meter),
    ),
    ...(wanted.body === undefined
      ? []
      : differences(wanted.body, isText(wanted.body) ? (body ?? undefined) : bodyOf(body), 'body', meter)),
  ];
}

/** Whether an entry names the body as a text, or a part of it. */
function isText(body: Json): boolean {
  return typeof body === 'string' || (isObject(body) && typeof own(body, 'contains') === 'string');
}

/** A request that is compared with many entries: its body is read once. */
class SentRequest {
  readonly #request: OutboundRequest;
  #headers: ReadonlyMap<string, string> | null = null;
  #text: { readonly value: string | null } | null = null;
  #json: { readonly value: Json | undefined } | null = null;

  constructor(request: OutboundRequest) {
    this.#request = request;
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= new Map(
      Object.entries(this.#request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return this.#headers;
  }

  text(meter: Spending): string | undefined {
    if (this.#text === null) {
      this.#text = { value: sentText(this.#request) };
      meter.spendOnText(this.#text.value?.length ?? 0);
    }
    return this.#text.value ?? undefined;
  }

  *json(meter: Spending): SlicedWork<Json | undefined> {
    if (this.#json === null) {
      const text = this.text(meter);
      meter.spend((text?.length ?? 0) / jsonCharactersPerStep);
      this.#json = { value: text === undefined ? undefined : yield* jsonIn(text) };
    }
    return this.#json.value;
  }
}

function* jsonIn(text: string): SlicedWork<Json> {
  try {
    return yield* parsedJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
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
