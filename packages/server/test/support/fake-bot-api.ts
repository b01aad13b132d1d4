import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of the Bot API: its status, and a body in place of its usual one. */
interface Rejection {
  readonly status: number;
  readonly body: object | string;
}

/** A call that the fake received. */
export interface BotCall {
  readonly token: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a user of the platform sends. */
export interface SentText {
  readonly text: string;
  readonly from?: number;
  readonly chat?: number;
  readonly type?: 'private' | 'group' | 'supergroup' | 'channel';
}

interface Update {
  readonly update_id: number;
  readonly message: object;
}

interface Poll {
  readonly response: ServerResponse;
  readonly timer: NodeJS.Timeout;
}

/** The messaging platform on a real port: what the documentation of the Bot API says about the methods that are used. */
export class FakeBotApi {
  readonly url: string;
  readonly calls: BotCall[] = [];
  readonly #server: Server;
  /** What the next calls of a method are answered with. */
  readonly #rejections = new Map<string, Rejection[]>();
  readonly #updates: Update[] = [];
  #lastUpdate = 1000;
  #lastMessage = 0;
  #poll: Poll | null = null;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<FakeBotApi> {
    const server = createServer((request, response) => void api.#receive(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const api = new FakeBotApi(server);
    return api;
  }

  /** The messages that bots have sent. */
  get sent(): readonly BotCall['parameters'][] {
    return this.calls.filter(({ method }) => method === 'sendMessage').map(({ parameters }) => parameters);
  }

  /** Answers the next call of a method with a rejection of the platform. */
  reject(method: string, code: number, description: string, parameters: object = {}): void {
    this.rejectWith(method, code, { ok: false, error_code: code, description, parameters });
  }

  rejectWith(method: string, status: number, body: object | string): void {
    this.#rejections.set(method, [...(this.#rejections.get(method) ?? []), { status, body }]);
  }

  /** A user writes to the bot. Returns the id of the update. */
  say({ text, from = 42, chat = from, type = 'private' }: SentText): number {
    this.#lastMessage += 1;
    return this.deliver({
      message_id: this.#lastMessage,
      date: 1_774_737_000,
      from: { id: from, is_bot: false, first_name: 'Ann' },
      chat: { id: chat, type },
      text,
    });
  }

  /** Adds an update with any message. */
  deliver(message: object): number {
    this.#lastUpdate += 1;
    this.#updates.push({ update_id: this.#lastUpdate, message });
    this.#answerPoll();
    return this.#lastUpdate;
  }

  /** The updates that no request has confirmed yet. */
  get waiting(): number {
    return this.#updates.length;
  }

  /** Forgets the calls so far. */
  forget(): void {
    this.calls.length = 0;
    this.#rejections.clear();
  }

  async close(): Promise<void> {
    if (this.#poll !== null) clearTimeout(this.#poll.timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const text = Buffer.concat(chunks).toString();
    const parameters = text === '' ? {} : (JSON.parse(text) as BotCall['parameters']);
    this.calls.push({ token: decodeURIComponent(token), method, parameters });
    const rejection = this.#rejections.get(method)?.shift();
    if (rejection === undefined) this.#answer(method, parameters, response);
    else reply(response, rejection.status, rejection.body);
  }

  #answer(method: string, parameters: BotCall['parameters'], response: ServerResponse): void {
    if (method === 'getUpdates') this.#startPoll(parameters, response);
    else reply(response, ...this.#resultOf(method, parameters));
  }

  #resultOf(method: string, parameters: BotCall['parameters']): readonly [status: number, body: object] {
    switch (method) {
      case 'getMe':
        return [200, { ok: true, result: { id: 1, is_bot: true, first_name: 'Bot', username: 'a_bot' } }];
      case 'sendMessage': {
        this.#lastMessage += 1;
        const chat = { id: Number(parameters.chat_id), type: 'private' };
        return [200, { ok: true, result: { message_id: this.#lastMessage, date: 0, chat, text: parameters.text } }];
      }
      default:
        return [404, { ok: false, error_code: 404, description: 'Not Found' }];
    }
  }

  /** An offset confirms all updates before it. A second request ends the first one with 409. */
  #startPoll({ offset = 0, timeout = 0 }: BotCall['parameters'], response: ServerResponse): void {
    const first = this.#updates.findIndex(({ update_id: id }) => id >= Number(offset));
    this.#updates.splice(0, first === -1 ? this.#updates.length : first);
    if (this.#poll !== null) {
      const description =
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
      this.#endPoll(409, { ok: false, error_code: 409, description });
    }
    const timer = setTimeout(() => this.#endPoll(200, { ok: true, result: [] }), Number(timeout) * 1000);
    this.#poll = { response, timer };
    this.#answerPoll();
  }

  #answerPoll(): void {
    if (this.#updates.length > 0) this.#endPoll(200, { ok: true, result: this.#updates.slice(0, 100) });
  }

  #endPoll(status: number, body: object): void {
    const poll = this.#poll;
    if (poll === null) return;
    this.#poll = null;
    clearTimeout(poll.timer);
    reply(poll.response, status, body);
  }
}

function reply(response: ServerResponse, status: number, body: object | string): void {
  response.statusCode = status;
  response.setHeader('content-type', typeof body === 'string' ? 'text/html' : 'application/json');
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
