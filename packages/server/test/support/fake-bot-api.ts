import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Rejection {
  readonly ok: false;
  readonly error_code: number;
  readonly description: string;
  readonly parameters: object;
}

/** A call that the fake received. */
interface BotCall {
  readonly token: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a user of the platform writes. */
interface SentText {
  readonly text: string;
  readonly from?: number;
  readonly chat?: number;
  readonly type?: 'private' | 'group' | 'supergroup' | 'channel';
}

interface Update {
  readonly update_id: number;
  readonly message: object;
}

/** Where the messages of a bot are sent. */
interface Webhook {
  readonly url: string;
  readonly secret: string | null;
}

interface Poll {
  readonly response: ServerResponse;
  readonly timer: NodeJS.Timeout;
}

/** The messages of one bot. */
class Inbox {
  readonly updates: Update[] = [];
  last = 1000;
  lastMessage = 0;
  poll: Poll | null = null;
  webhook: Webhook | null = null;
  /** Whether its messages are being sent to the webhook. */
  isSending = false;
  /** Of the last message that the webhook did not accept. */
  failure: { readonly last_error_date: number; readonly last_error_message: string } | null = null;
}

/** The messaging platform on a real port: what the documentation of the Bot API says about the methods that are used. */
export class FakeBotApi {
  readonly url: string;
  readonly calls: BotCall[] = [];
  readonly #server: Server;
  /** What the next calls of a method are answered with. */
  readonly #rejections = new Map<string, Rejection[]>();
  /** What the next requests for the updates of a bot are answered with, at once. */
  readonly #floods = new Map<string, string[]>();
  /** What all calls of a method are answered with. */
  readonly #outages = new Map<string, Rejection>();
  readonly #inboxes = new Map<string, Inbox>();

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

  /** The messages that a bot has sent. */
  sentBy(token: string): readonly BotCall['parameters'][] {
    const calls = this.calls.filter((call) => call.method === 'sendMessage' && call.token === token);
    return calls.map(({ parameters }) => parameters);
  }

  /** Rejects the next call of a method. */
  reject(method: string, code: number, description: string, parameters: object = {}): void {
    const rejection: Rejection = { ok: false, error_code: code, description, parameters };
    this.#rejections.set(method, [...(this.#rejections.get(method) ?? []), rejection]);
  }

  /** Answers the next requests for the updates of a bot with these texts, whatever they ask for. */
  flood(token: string, texts: readonly string[]): void {
    this.#floods.set(token, [...texts]);
  }

  /** Rejects all calls of a method. */
  rejectAll(method: string, code: number, description: string): void {
    this.#outages.set(method, { ok: false, error_code: code, description, parameters: {} });
  }

  /** A user writes to a bot. Returns the id of the update. */
  say(token: string, { text, from = 42, chat = from, type = 'private' }: SentText): number {
    const inbox = this.#inboxOf(token);
    inbox.lastMessage += 1;
    inbox.last += 1;
    const message = {
      message_id: inbox.lastMessage,
      date: 1_774_737_000,
      from: { id: from, is_bot: false, first_name: 'Ann' },
      chat: { id: chat, type },
      text,
      ...(text.startsWith('/') && { entities: [commandIn(text)] }),
    };
    inbox.updates.push({ update_id: inbox.last, message });
    answerPoll(inbox);
    void sendToWebhook(inbox);
    return inbox.last;
  }

  /** The updates of a bot that no request has confirmed yet. */
  waiting(token: string): number {
    return this.#inboxOf(token).updates.length;
  }

  /** The address to which the messages of a bot are sent; null if it has none. */
  webhookOf(token: string): string | null {
    return this.#inboxOf(token).webhook?.url ?? null;
  }

  /** Another program sets the webhook of a bot. */
  redirect(token: string, url: string): void {
    this.#inboxOf(token).webhook = { url, secret: null };
  }

  /** Whether a request waits for the next message of a bot. */
  isPolled(token: string): boolean {
    return this.#inboxOf(token).poll !== null;
  }

  /** Forgets the calls so far, and rejects none. */
  forget(): void {
    this.calls.length = 0;
    this.#rejections.clear();
    this.#outages.clear();
  }

  async close(): Promise<void> {
    for (const inbox of this.#inboxes.values()) {
      if (inbox.poll !== null) clearTimeout(inbox.poll.timer);
      inbox.webhook = null;
    }
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #inboxOf(token: string): Inbox {
    const inbox = this.#inboxes.get(token) ?? new Inbox();
    this.#inboxes.set(token, inbox);
    return inbox;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const text = Buffer.concat(chunks).toString();
    const parameters = text === '' ? {} : (JSON.parse(text) as BotCall['parameters']);
    const call = { token: decodeURIComponent(token), method, parameters };
    this.calls.push(call);
    const rejection = this.#rejections.get(method)?.shift() ?? this.#outages.get(method);
    if (rejection !== undefined) reply(response, rejection.error_code, rejection);
    else if (method === 'getUpdates' && (this.#floods.get(call.token) ?? []).length > 0)
      response.end(this.#floods.get(call.token)?.shift());
    else if (method === 'getUpdates') startPoll(this.#inboxOf(call.token), parameters, response);
    else reply(response, ...this.#resultOf(call));
  }

  #resultOf({ token, method, parameters }: BotCall): readonly [status: number, body: object] {
    const inbox = this.#inboxOf(token);
    switch (method) {
      case 'setWebhook': {
        const { url, secret_token: secret = null } = parameters;
        inbox.webhook = { url: String(url), secret: secret === null ? null : String(secret) };
        void sendToWebhook(inbox);
        return [200, { ok: true, result: true, description: 'Webhook was set' }];
      }
      case 'deleteWebhook':
        inbox.webhook = null;
        return [200, { ok: true, result: true, description: 'Webhook was deleted' }];
      case 'getWebhookInfo': {
        const url = inbox.webhook?.url ?? '';
        const info = { url, has_custom_certificate: false, pending_update_count: inbox.updates.length };
        return [200, { ok: true, result: { ...info, ...inbox.failure } }];
      }
      case 'getMe':
        return [200, { ok: true, result: { id: 1, is_bot: true, first_name: 'Bot', username: 'a_bot' } }];
      case 'sendMessage': {
        inbox.lastMessage += 1;
        const chat = { id: Number(parameters.chat_id), type: 'private' };
        return [200, { ok: true, result: { message_id: inbox.lastMessage, date: 0, chat, text: parameters.text } }];
      }
      default:
        return [404, { ok: false, error_code: 404, description: 'Not Found' }];
    }
  }
}

/** Where the command in a text is, as the platform marks it. */
function commandIn(text: string): object {
  return { type: 'bot_command', offset: 0, length: text.split(/\s/, 1).join().length };
}

/** An offset confirms all updates before it. A second request ends the first one with 409. */
function startPoll(inbox: Inbox, { offset = 0, timeout = 0 }: BotCall['parameters'], response: ServerResponse): void {
  if (inbox.webhook !== null) {
    const description =
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    reply(response, 409, { ok: false, error_code: 409, description });
    return;
  }
  const first = inbox.updates.findIndex(({ update_id: id }) => id >= Number(offset));
  inbox.updates.splice(0, first === -1 ? inbox.updates.length : first);
  if (inbox.poll !== null) {
    const description =
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
    endPoll(inbox, 409, { ok: false, error_code: 409, description });
  }
  const timer = setTimeout(() => endPoll(inbox, 200, { ok: true, result: [] }), Number(timeout) * 1000);
  const poll = { response, timer };
  inbox.poll = poll;
  response.on('close', () => {
    clearTimeout(timer);
    if (inbox.poll === poll) inbox.poll = null;
  });
  answerPoll(inbox);
}

/** Milliseconds before a message is sent again to a webhook that did not accept it. */
const resendMs = 20;

/** Sends the messages of a bot to its webhook in order, each until it is accepted. */
async function sendToWebhook(inbox: Inbox): Promise<void> {
  if (inbox.isSending) return;
  inbox.isSending = true;
  for (;;) {
    const { webhook } = inbox;
    const [update] = inbox.updates;
    if (webhook === null || update === undefined) break;
    const headers = {
      'content-type': 'application/json',
      ...(webhook.secret !== null && { 'x-telegram-bot-api-secret-token': webhook.secret }),
    };
    const request = { method: 'POST', headers, body: JSON.stringify(update) };
    const status = await fetch(webhook.url, request).then(
      (response) => response.status,
      () => 0,
    );
    if (status >= 200 && status < 300) inbox.updates.shift();
    else {
      const message = `Wrong response from the webhook: ${status}`;
      inbox.failure = { last_error_date: Math.floor(Date.now() / 1000), last_error_message: message };
      await new Promise((resolve) => setTimeout(resolve, resendMs));
    }
  }
  inbox.isSending = false;
}

function answerPoll(inbox: Inbox): void {
  if (inbox.updates.length > 0) endPoll(inbox, 200, { ok: true, result: inbox.updates.slice(0, 100) });
}

function endPoll(inbox: Inbox, status: number, body: object): void {
  const { poll } = inbox;
  if (poll === null) return;
  inbox.poll = null;
  clearTimeout(poll.timer);
  reply(poll.response, status, body);
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}
