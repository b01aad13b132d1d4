import {
  finishedText,
  type Json,
  type Meter,
  mediaType,
  type OutboundResponse,
  type SlicedWork,
  StepError,
} from '@millrace/core';
import type { FetchLike } from '@modelcontextprotocol/client';
import { eventsIn } from './event-text.ts';
import { checkAnswer, isOwn, messagesIn } from './messages.ts';
import type { McpTarget } from './target.ts';

/** Statuses whose responses have no body. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Characters of a body that only an error shows. */
const maxShownText = 65_536;
/** Characters of a body that is not JSON: enough for the library to find that out, too little to keep it busy. */
const maxInvalidText = 1_000;

/**
 * The `fetch` of a connection: all its requests go through the outbound client, and within the origin of the server. The
 * library gets the answer to its request and nothing else, read and checked in slices: it would need minutes for what a
 * hostile server may send.
 */
export function outboundFetch({ send, inSlices }: Pick<McpTarget, 'send' | 'inSlices'>, never: AbortSignal): FetchLike {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const sent = Object.fromEntries(new Headers(headers));
    // A stream of messages that the server begins on its own: no answer ends it, and the service listens to none.
    if (method === 'GET' && sent['last-event-id'] === undefined) return new Response(null, { status: 405 });
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new Error('an MCP connection sends only text');
    const request = { method, url: String(url), headers: sent, body: body ?? null, staysHome: true };
    const answer = await send(request, signal ?? never);
    const isAsked = method === 'GET' || /"id":/.test(request.body ?? '');
    return inSlices((meter) => responseTo({ method, isAsked }, answer, meter), signal ?? never);
  };
}

/** A request. `isAsked` is false for a notification, which has no answer. */
interface Sent {
  readonly method: string;
  readonly isAsked: boolean;
}

function* responseTo(sent: Sent, answer: OutboundResponse, meter: Meter): SlicedWork<Response> {
  const { status } = answer;
  const init = { status, headers: headersOf(answer.headers) };
  if (emptyStatuses.has(status)) return new Response(null, init);
  const text = yield* finishedText(answer.body.text(meter));
  if (!sent.isAsked || status < 200 || status > 299) return new Response(text.slice(0, maxShownText), init);
  switch (mediaType(answer.headers['content-type'])) {
    case 'application/json': {
      const messages = yield* messagesIn(text, meter);
      if (messages === null) return new Response(text.slice(0, maxInvalidText), init);
      return new ReadResponse(answerIn(messages, text.length) ?? unanswered(), init);
    }
    case 'text/event-stream':
      return yield* streamResponse(sent, text, { init, meter });
    default:
      return new Response(text.slice(0, maxShownText), init);
  }
}

/** The answer in a stream. A stream without one is continued from its last event, if that has an id. */
function* streamResponse(
  { method }: Sent,
  text: string,
  { init, meter }: { readonly init: ResponseInit; readonly meter: Meter },
): SlicedWork<Response> {
  const { messages, lastId, retryMs } = yield* eventsIn(text, meter);
  for (const data of messages) {
    const answer = answerIn((yield* messagesIn(data, meter)) ?? [], data.length);
    if (answer === undefined) continue;
    // The library expects a stream where one is continued.
    if (method === 'GET') return new Response(`data: ${JSON.stringify(answer)}\n\n`, init);
    const headers = new Headers(init.headers);
    headers.set('content-type', 'application/json');
    return new ReadResponse(answer, { ...init, headers });
  }
  if (lastId === '') unanswered();
  return new Response(`id: ${lastId}\nretry: ${retryMs}\ndata: \n\n`, init);
}

/** The first message that the server does not begin on its own. @throws StepError `mcp_error` */
function answerIn(messages: readonly Json[], length: number): Json | undefined {
  const answer = messages.find((message) => !isOwn(message));
  if (answer !== undefined) checkAnswer(answer, length);
  return answer;
}

function unanswered(): never {
  throw new StepError('mcp_unavailable', 'The MCP server ended its stream before it answered.');
}

/** A response whose JSON has been read. */
class ReadResponse extends Response {
  override readonly json: () => Promise<Json>;

  constructor(value: Json, init: ResponseInit) {
    super(null, init);
    this.json = () => Promise.resolve(value);
  }
}

/** The text is already decoded, and has another length than its bytes had. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-encoding': _encoding, 'content-length': _length, 'transfer-encoding': _transfer, ...rest } = headers;
  return rest;
}
