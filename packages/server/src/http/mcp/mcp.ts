import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { isArray, isObject, type Json, type JsonObject, jsonSize, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WorkflowTools } from '../../services/mcp/workflow-tools.ts';
import { bodyOf } from '../bodies/body-parser.ts';
import { idempotencyOf } from '../plumbing/idempotency-key.ts';

interface McpRoutes {
  readonly workflowTools: WorkflowTools;
  readonly version: string;
}

const path = '/mcp';

/** Characters of the parameters of a message, as JSON, without the arguments of a tool: the library checks each value. */
const maxParameters = 32_768;

/** The endpoint for MCP clients. */
export function addMcp(app: FastifyInstance, routes: McpRoutes): void {
  app.route({
    method: 'POST',
    url: path,
    config: { auth: 'key', access: 'user' },
    // A protocol of its own, like that of the WebSocket: docs/mcp.md.
    schema: { hide: true },
    handler: (request, reply) => receive(routes, request, reply),
  });
}

async function receive(
  { workflowTools, version }: McpRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller, log } = request;
  if (caller === null) throw new Problem('not_authenticated', 'Not authenticated');
  // Safe: the parser of bodies returns JSON, or nothing.
  const body = bodyOf(request) as Json | undefined;
  if (body !== undefined && isArray(body))
    throw new Problem('malformed', 'JSON-RPC batches are not accepted: send one message.');
  const message = isObject(body ?? null) ? (body as JsonObject) : {};
  const wrong = invalidParameters(message);
  if (wrong !== null) {
    const error = { code: invalidParams, message: wrong };
    return reply.type('application/json').send(JSON.stringify({ jsonrpc: '2.0', id: idOf(message), error }));
  }
  const gone = new AbortController();
  // Also after the answer: then nothing waits for it.
  reply.raw.once('close', () => gone.abort());
  // Loaded with the first request, because loading takes longer than the rest of the start of the service.
  const { answerMcp } = await import('./mcp-server.ts');
  const call = {
    tools: workflowTools,
    user: caller.user,
    version,
    idempotencyOf: (args: unknown) => idempotencyOf(request.headers, args),
    gone: gone.signal,
    log,
  };
  return send(reply, await answerMcp(call, webRequest(request, gone.signal), body));
}

/** The code of JSON-RPC for wrong parameters. */
const invalidParams = -32_602;

/** What is wrong with parameters that the library would answer with its own long description; null for nothing. */
function invalidParameters({ method, params = null }: JsonObject): string | null {
  if (!isObject(params)) return null;
  const { arguments: _arguments, ...others } = params;
  if (jsonSize(others, maxParameters) > maxParameters)
    return `The parameters of a message have at most ${maxParameters} characters besides the arguments of a tool.`;
  const { cursor = '' } = params;
  if (method !== 'tools/list' || typeof cursor === 'string') return null;
  return 'The cursor is not one that this server has returned.';
}

function idOf({ id = null }: JsonObject): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The request without its key, and with its body already parsed. */
function webRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && passedHeaders.test(name) ? [[name, value]] : [],
  );
  return new Request(`http://localhost${path}`, { method: 'POST', headers: passed, signal });
}

const passedHeaders = /^(accept|content-type|mcp-.*)$/;

async function send(reply: FastifyReply, { status, headers, body }: Response): Promise<FastifyReply> {
  const type = headers.get('content-type');
  reply.code(status);
  if (type !== null) reply.header('content-type', type);
  if (body === null) return reply.send();
  // Safe: the global type and the one of Node differ only in their declarations.
  const stream = Readable.fromWeb(body as ReadableStream<Uint8Array>);
  if (type?.startsWith('text/event-stream') === true) return reply.send(stream);
  return reply.send(Buffer.concat(await stream.toArray()));
}
