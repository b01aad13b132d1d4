import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The only key that the provider accepts. */
export const modelKey = 'sk-good-key-0123456789abcdefghijklmnop';

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
}

interface Call {
  readonly tool: string;
  readonly input: object;
}

/** The answer to the last message: a text, a call of a tool, or several calls with a text. */
type Answer = string | Call | { readonly text: string; readonly calls: readonly Call[] };

/** A model provider on loopback whose answers depend only on the request. Both kinds of calls are supported: streamed and whole. */
export class ModelProvider {
  /** The requests for answers so far. */
  readonly requests: ChatRequest[] = [];
  /** What it answers to the last message; by default it repeats it. */
  answer: (text: string, request: ChatRequest) => Answer = (text) => `You said: ${text}`;
  /** A streamed answer waits for this after its first words. */
  hold: Promise<void> = Promise.resolve();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ModelProvider> {
    const server = createServer((request, response) => void provider.#receive(request, response));
    const provider = new ModelProvider(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  /** The base URL for a credential. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${modelKey}`) {
      request.resume();
      send(response, 401, { error: { message: 'Incorrect API key provided.' } });
    } else if (request.url === '/v1/models') {
      send(response, 200, { object: 'list', data: [{ id: 'large' }, { id: 'small' }] });
    } else {
      const body = (await json(request)) as ChatRequest;
      this.requests.push(body);
      const answer = this.answer(textOf(body.messages.at(-1)?.content), body);
      if (body.stream === true) await sendStream(response, answer, this.hold);
      else send(response, 200, completion(answer));
    }
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** The parts of an answer as messages contain them. */
function partsOf(answer: Answer): { readonly text: string | null; readonly calls: readonly object[] } {
  if (typeof answer === 'string') return { text: answer, calls: [] };
  const { text, calls } = 'calls' in answer ? answer : { text: null, calls: [answer] };
  return { text, calls: calls.map(toolCall) };
}

function toolCall({ tool, input }: Call, index: number): object {
  const call = { name: tool, arguments: JSON.stringify(input) };
  return { index, id: `call_${index + 1}`, type: 'function', function: call };
}

function completion(answer: Answer): object {
  const { text, calls } = partsOf(answer);
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const choices = [{ index: 0, message, finish_reason }];
  return { id: 'chatcmpl-1', object: 'chat.completion', choices, usage };
}

/** Sends one event per word, the last ones after `hold`. */
async function sendStream(response: ServerResponse, answer: Answer, hold: Promise<void>): Promise<void> {
  const { text, calls } = partsOf(answer);
  const words = text === null ? [] : text.split(/(?<= )/).map((content) => ({ content }));
  const deltas = calls.length > 0 ? [...words, { tool_calls: calls }] : words;
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const lines = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  response.write(lines.slice(0, -4).join(''));
  await hold;
  response.end(lines.slice(-4).join(''));
}
