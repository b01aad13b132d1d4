import { randomBytes } from 'node:crypto';
import { type Json, type JsonObject, Problem, type User } from '@millrace/core';
import {
  type CallToolResult,
  createMcpHandler,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type {
  CalledWorkflow,
  OfferedWorkflow,
  WorkflowToolCall,
  WorkflowTools,
} from '../../services/mcp/workflow-tools.ts';
import { sentenceOf } from '../../services/triggers/problem-message.ts';
import { failed, resultTool, toolResult } from './tool-results.ts';

/** One request of an MCP client. */
export interface McpCall {
  readonly tools: WorkflowTools;
  readonly user: User;
  readonly version: string;
  /** The Idempotency-Key of the request with the hash of these arguments; null without a key. */
  readonly idempotencyOf: (args: JsonObject) => WorkflowToolCall['idempotency'];
  readonly gone: AbortSignal;
  readonly log: FastifyBaseLogger;
}

const instructions =
  `Each tool runs a workflow and returns its output. If a workflow takes longer than a minute, the answer contains the id ` +
  `of its execution; call ${resultTool} with it.`;

const resultToolEntry: Tool = {
  name: resultTool,
  title: 'Execution result',
  description:
    'Returns the result of an execution that had not ended when its workflow was called. Waits up to a minute.',
  inputSchema: {
    type: 'object',
    properties: { execution_id: { type: 'string', description: 'The id in the answer of the call.' } },
    required: ['execution_id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/**
 * Answers one request.
 * @param body its parsed body; undefined if it has none
 */
export function answerMcp(call: McpCall, request: Request, body: Json | undefined): Promise<Response> {
  // Nothing is published to clients, so no stream of events stays open.
  const handler = createMcpHandler(() => mcpServer(call), { maxSubscriptions: 0 });
  return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
}

/** The server for one request: nothing is kept between requests, so that any process can answer each of them. */
function mcpServer(call: McpCall): Server {
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noValidator };
  const server = new Server({ name: 'millrace', version: call.version }, options);
  server.setRequestHandler('tools/list', ({ params }) => guarded(call, () => listTools(call, params?.cursor)));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) =>
    // Safe: the request body is JSON.
    guarded(call, () => callTool(call, { name, args: args as JsonObject })),
  );
  return server;
}

/** The SDK validates only answers to questions of the server, and this one asks none. */
const noValidator = {
  getValidator(): never {
    throw new Error('an MCP client answered a question that the service does not ask');
  },
};

async function listTools({ tools, user }: McpCall, cursor: string | undefined): Promise<ListToolsResult> {
  if (cursor !== undefined && !/^(0|[1-9]\d{0,14})$/.test(cursor))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not one that this server has returned.');
  const { workflows, next } = await tools.list(user, Number(cursor ?? 0));
  // The workflow with the name of this tool cannot be called: the tool has precedence.
  const offered = workflows.filter(({ slug }) => slug !== resultTool).map(presentTool);
  const first = cursor === undefined ? [resultToolEntry] : [];
  return { tools: [...first, ...offered], ...(next !== null && { nextCursor: String(next) }) };
}

function presentTool({ slug, name, description, parameters }: OfferedWorkflow): Tool {
  return { name: slug, title: name, description, inputSchema: { ...parameters, type: 'object' } };
}

interface NamedCall {
  readonly name: string;
  readonly args: JsonObject;
}

async function callTool(call: McpCall, named: NamedCall): Promise<CallToolResult> {
  try {
    return toolResult(await (named.name === resultTool ? readResult(call, named.args) : startWorkflow(call, named)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // A model can correct its arguments, or try later, only if it sees why the call failed.
    if (error.code !== 'not_found' || named.name === resultTool) return failed(sentenceOf(error));
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${named.name}'.`);
  }
}

async function readResult({ tools, user, gone }: McpCall, { execution_id: id }: JsonObject): Promise<CalledWorkflow> {
  if (typeof id !== 'string')
    throw new Problem('invalid', "'execution_id' is missing: it is in the answer of the call.");
  return tools.result(user, id, gone);
}

function startWorkflow(
  { tools, user, gone, idempotencyOf }: McpCall,
  { name: slug, args: payload }: NamedCall,
): Promise<CalledWorkflow> {
  return tools.call(user, { slug, payload, idempotency: idempotencyOf(payload), gone });
}

/** A defect: the client gets only an id, which is also in the log. */
async function guarded<Result>({ log }: McpCall, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const id = randomBytes(8).toString('hex');
    log.error({ err: error, id, route: '/mcp' }, 'request failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, `Internal error ${id}`);
  }
}
