import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request of the service: the messages of a conversation. */
interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string }[];
}

/** How the model answers. */
export interface ModelScript {
  /** Calls of the tool before the answer. */
  readonly rounds: number;
  readonly tool: string;
  readonly args: object;
  /** Pieces of a streamed text, and milliseconds between them. */
  readonly pieces: number;
  readonly pauseMs: number;
}

const usage = { prompt_tokens: 10, completion_tokens: 4 };

/** A model that calls one tool some times and then answers, and a page of any size, in the process of the benchmark. */
export class BenchModel {
  script: ModelScript = { rounds: 1, tool: 'calc', args: { expression: '6 * 7' }, pieces: 1, pauseMs: 0 };
  /** The text of the page. */
  page = '';
  /** Requests to the model. */
  calls = 0;
  /** Streams that are open now, and the most that were open at once. */
  open = 0;
  mostOpen = 0;
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<BenchModel> {
    const server = createServer(async (request, response) => {
      const body = (await buffer(request)).toString();
      if (request.url === '/page') response.setHeader('content-type', 'text/plain').end(model.page);
      else await model.#answer(JSON.parse(body) as Asked, response);
    });
    // Connections stay open, so that no measurement contains a handshake.
    server.keepAliveTimeout = 600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const model = new BenchModel(server);
    return model;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer({ stream = false, messages }: Asked, response: ServerResponse): Promise<void> {
    this.calls += 1;
    const { rounds, tool, args } = this.script;
    const made = messages.filter(({ role }) => role === 'assistant').length;
    const called = { name: tool, arguments: JSON.stringify(args) };
    const call = { index: 0, id: `c${made}`, type: 'function', function: called };
    const isLast = made >= rounds;
    if (stream) return this.#stream(response, isLast ? null : call);
    const message = { role: 'assistant', content: isLast ? 'Done.' : null, ...(!isLast && { tool_calls: [call] }) };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ choices: [{ index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }], usage }),
    );
  }

  async #stream(response: ServerResponse, call: object | null): Promise<void> {
    const { pieces, pauseMs } = this.script;
    const send = (delta: object, finish_reason: string | null = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let piece = 0; piece < pieces; piece += 1) {
      send({ content: `word ${piece} ` });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    if (call !== null) send({ tool_calls: [call] });
    send({}, call === null ? 'stop' : 'tool_calls');
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    this.open -= 1;
  }
}
