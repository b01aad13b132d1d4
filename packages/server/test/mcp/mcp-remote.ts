import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '@millrace/core';
import { type CallToolResult, createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { Remote } from '../support/remote.ts';

/** A tool of the server, and what it does. */
export interface RemoteTool {
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly output?: JsonObject;
  readonly act: (args: JsonObject) => CallToolResult;
}

/** A text as the result of a tool. */
export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}

interface Message {
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** An MCP server, made with the package of another party, on a real port. */
export class McpRemote {
  readonly remote: Remote;
  readonly tools: Record<string, RemoteTool>;
  /** The protocol that it speaks: without a handshake too, or only with one. */
  legacyOnly = false;
  /** Answers a request in its own way, if this returns true. */
  intercept: (message: Message, response: ServerResponse) => boolean = () => false;

  private constructor(remote: Remote, tools: Record<string, RemoteTool>) {
    this.remote = remote;
    this.tools = tools;
  }

  static async start(tools: Record<string, RemoteTool>): Promise<McpRemote> {
    return McpRemote.at(await Remote.start(), tools);
  }

  /** Answers the requests of a server that the caller closes. */
  static at(remote: Remote, tools: Record<string, RemoteTool>): McpRemote {
    const server = new McpRemote(remote, tools);
    remote.answer = (request, response) => {
      const received = remote.received.at(-1);
      const body = received?.body.toString() ?? '';
      const message = (body === '' ? {} : JSON.parse(body)) as Message;
      if (server.intercept(message, response)) return;
      const headers = new Headers(request.headers as Record<string, string>);
      void server.#answer(message, new Request(`${remote.origin}/mcp`, { method: 'POST', headers, body }), response);
    };
    return server;
  }

  get url(): string {
    return `${this.remote.origin}/mcp`;
  }

  /** The methods that were called, without the handshake. */
  get calls(): readonly string[] {
    return this.remote.received
      .map(({ body }) => JSON.parse(body.toString() || '{}') as Message)
      .flatMap(({ method = '', params }) =>
        method.startsWith('tools/') ? [`${method} ${params?.name ?? ''}`.trim()] : [],
      );
  }

  async #answer(message: Message, request: Request, response: ServerResponse): Promise<void> {
    if (this.legacyOnly && message.method === 'server/discover') {
      response
        .writeHead(400)
        .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request' } }));
      return;
    }
    const answer = await createMcpHandler(() => this.#server()).fetch(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  #server(): Server {
    const server = new Server({ name: 'remote', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: Object.entries(this.tools).map(([name, { description, parameters, output }]): Tool => {
        const inputSchema = { type: 'object', ...parameters } as Tool['inputSchema'];
        return {
          name,
          inputSchema,
          ...(description !== undefined && { description }),
          ...(output && { outputSchema: output as Tool['outputSchema'] }),
        };
      }),
    }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
      const tool = this.tools[name];
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return tool.act(args as Record<string, Json>);
    });
    return server;
  }
}
