import { StepError } from '@millrace/core';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { SendText } from './target.ts';

/** Statuses whose responses have no body. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** The `fetch` of a connection: all its requests go through the outbound client, and within the origin of the server. */
export function outboundFetch(send: SendText, never: AbortSignal): FetchLike {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const sent = Object.fromEntries(new Headers(headers));
    // A stream of messages that the server begins on its own: no answer ends it, and the service listens to none.
    if (method === 'GET' && sent['last-event-id'] === undefined) return new Response(null, { status: 405 });
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new Error('an MCP connection sends only text');
    const request = { method, url: String(url), headers: sent, body: body ?? null, staysHome: true };
    const { status, headers: received, text } = await send(request, signal ?? never);
    if (isUnanswered(request.body, received['content-type'] ?? '', text))
      throw new StepError('mcp_unavailable', 'The MCP server ended its stream before it answered.');
    return new Response(emptyStatuses.has(status) ? null : text, { status, headers: headersOf(received) });
  };
}

/** Whether a stream ended without an answer to its request, and cannot be continued: no other event would follow. */
function isUnanswered(body: string | null, type: string, text: string): boolean {
  if (!/^text\/event-stream\b/i.test(type) || body === null || !/"id":/.test(body)) return false;
  return !/"(result|error)"\s*:/.test(text) && !/^id:/m.test(text);
}

/** The text is already decoded, and has another length than its bytes had. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-encoding': _encoding, 'content-length': _length, 'transfer-encoding': _transfer, ...rest } = headers;
  return rest;
}
