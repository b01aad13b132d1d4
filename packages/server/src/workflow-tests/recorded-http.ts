import { isObject, type Json, type OutboundRequest, type OutboundResponse, own, StepError } from '@millrace/core';
import { type Difference, differences, isExpected, shown } from './difference.ts';
import type { Exchange } from './test-schema.ts';

interface Recording {
  readonly exchange: Exchange;
  /** What a report calls it. */
  readonly name: string;
  left: number;
}

/** Answers the requests of a test's steps as its recordings say: each answers as often as it is there. */
export class RecordedHttp {
  /** What was said of requests that nothing answered. */
  readonly #unanswered: string[] = [];
  readonly #recordings: readonly Recording[];

  constructor(exchanges: readonly Exchange[]) {
    this.#recordings = exchanges.map((exchange, index) => {
      const { method, url } = exchange.request;
      return { exchange, name: `http[${index}] (${method} ${textOf(url)})`, left: exchange.times };
    });
  }

  /** @throws StepError http_blocked for a request that no recording answers, http_connection where one says so */
  answer(request: OutboundRequest): OutboundResponse {
    const found = this.#recordings.find(({ exchange, left }) => left > 0 && faultsOf(exchange, request).length === 0);
    if (found === undefined) throw this.#refuse(request);
    found.left -= 1;
    const { response, fails } = found.exchange;
    if (response === undefined) throw new StepError('http_connection', fails ?? '', { retryable: true });
    return responseOf(response);
  }

  /** Requests that nothing answered, and recordings that have answered less often than they are there. */
  get faults(): readonly string[] {
    return [...this.#unanswered, ...this.#recordings.filter(({ left }) => left > 0).map(nameOfUnused)];
  }

  #refuse(request: OutboundRequest): StepError {
    const { method, url, body } = request;
    const sent = body === null ? '' : ` with the body ${shown(bodyOf(body))}`;
    const message = `No recording answers ${method} ${url}${sent}.${this.#hint(request)}`;
    this.#unanswered.push(message);
    return new StepError('http_blocked', message);
  }

  /** What keeps the recording of the same address from answering. */
  #hint(request: OutboundRequest): string {
    const { method, url } = request;
    const near = this.#recordings.filter(
      ({ exchange }) => exchange.request.method === method && isExpected(exchange.request.url, url),
    );
    const open = near.find(({ left }) => left > 0);
    if (open !== undefined) {
      const [{ at, expected, came } = nothing] = faultsOf(open.exchange, request);
      return ` ${open.name} has another ${at}: ${expected}, not ${came}.`;
    }
    const [used] = near;
    return used === undefined ? '' : ` ${used.name} has answered as often as it says: give 'times', or another.`;
  }
}

const nothing: Difference = { at: '', expected: '', came: '' };

function nameOfUnused({ name, left, exchange: { times } }: Recording): string {
  return left === times ? `${name} was never asked for.` : `${name} was asked for ${times - left} of ${times} times.`;
}

/** What a request has otherwise than a recording; of headers and body, where the recording names them. */
function faultsOf({ request: wanted }: Exchange, { method, url, headers, body }: OutboundRequest) {
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

/** A body as JSON; as its text where it is none. */
function bodyOf(body: string | null): Json | undefined {
  if (body === null) return undefined;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

function responseOf({ status, headers = {}, body }: NonNullable<Exchange['response']>): OutboundResponse {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const bytes = Buffer.from(text);
  return {
    status,
    headers: { ...(body !== undefined && { 'content-type': type }), ...Object.fromEntries(named) },
    body: { size: bytes.length, text: () => text, base64: () => bytes.toString('base64') },
  };
}

function textOf(url: Exchange['request']['url']): string {
  return typeof url === 'string' ? url : `…${url.contains}…`;
}
