import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Problem } from '@millrace/core';
import { onTestFinished } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import type { LlmEndpoint, LlmEndpoints, LlmRejection, ProviderType } from '../../src/secrets/llm-endpoint.ts';
import { textRedactor } from '../../src/secrets/llm-endpoints.ts';

/** A request that the provider received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON of its body; null for none. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** A hostile or broken response of a provider. */
export type Reply = (response: ServerResponse, received: Received) => void;

export const goodKey = 'sk-good-key-0123456789abcdefghijklmnop';

/** Ids of credentials: one of each provider type, one with a wrong key, one locked, and one with a damaged secret. */
export const credentials = {
  openai: 1,
  anthropic: 2,
  wrongKey: 3,
  wrongAnthropicKey: 4,
  locked: 5,
  damaged: 6,
} as const;

/** The error for a credential whose secret cannot be decrypted. */
export const damagedMessage = 'The stored secret of this credential cannot be opened.';

/** A provider on a real port that supports both protocols. */
export class Providers {
  readonly received: Received[] = [];
  readonly url: string;
  #reply: Reply = speak;

  private constructor(url: string) {
    this.url = url;
  }

  /** Starts one for the current test, which also stops it. */
  static async start(): Promise<Providers> {
    const server = createServer((request, response) => void providers.#receive(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const providers = new Providers(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return providers;
  }

  /** Its response unless a test sets another. */
  readonly speak: Reply = speak;

  /** Responds like this from now on. */
  answersWith(reply: Reply): void {
    this.#reply = reply;
  }

  /** Responds with this to everything from now on. */
  answers(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.answersWith((response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  /** Never responds from now on. */
  hangs(): void {
    this.answersWith(() => undefined);
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (last === undefined) throw new Error('the provider received no request');
    return last;
  }

  /** The credentials above, as `secrets/` opens them, with this server as the provider. */
  endpoints(): LlmEndpoints {
    const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
    onTestFinished(() => outbound.close());
    const endpoint = (credentialId: number, providerType: ProviderType, key: string): LlmEndpoint => ({
      credentialId,
      providerType,
      hasSecrets: true,
      redactor: () => textRedactor([key]),
      send: async ({ method, path, body, isAnonymous = false }, signal, watch) => {
        const base = providerType === 'provider_b' ? this.url : `${this.url}/v1`;
        const auth =
          providerType === 'provider_b'
            ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
            : { authorization: `Bearer ${key}` };
        const headers = { ...(!isAnonymous && auth), ...(body !== null && { 'content-type': 'application/json' }) };
        const request = { method, url: base + path, headers, body };
        const secret = { origin: new URL(this.url).origin, headers: {}, isIn: () => false };
        return outbound.sendSecret(request, secret, signal, watch);
      },
    });
    const known = new Map<number, LlmEndpoint | LlmRejection>([
      [credentials.openai, endpoint(credentials.openai, 'provider_a_compatible', goodKey)],
      [credentials.anthropic, endpoint(credentials.anthropic, 'provider_b', goodKey)],
      [credentials.wrongKey, endpoint(credentials.wrongKey, 'provider_a_compatible', 'sk-wrong')],
      [credentials.wrongAnthropicKey, endpoint(credentials.wrongAnthropicKey, 'provider_b', 'sk-wrong')],
      [credentials.locked, { kind: 'locked', message: 'base_url changed: enter the API key again' }],
    ]);
    return {
      async open(id) {
        if (id === credentials.damaged) throw new Problem('secret_unreadable', damagedMessage);
        return known.get(id) ?? { kind: 'missing' };
      },
    };
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: body === '' ? null : JSON.parse(body) };
    this.received.push(received);
    this.#reply(response, received);
  }
}

/** A response of the OpenAI-compatible protocol. */
export function completion(content: unknown, rest: object = {}): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    ...rest,
  };
}

/** A response of the Messages protocol. */
export function message(text: string, rest: object = {}): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 5 },
    ...rest,
  };
}

/** The response of a correct provider: the last message, repeated. */
function speak(response: ServerResponse, { method, path, headers, body }: Received): void {
  const isKnown = headers.authorization === `Bearer ${goodKey}` || headers['x-api-key'] === goodKey;
  const say = (status: number, value: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const printed = (body?.messages as { content: string }[] | undefined)?.at(-1)?.content ?? '';
  if (!isKnown) say(401, { error: { type: 'authentication_error', message: 'Incorrect API key provided: sk-wrong' } });
  else if (method === 'GET' && path === '/v1/models') {
    say(200, { object: 'list', data: [{ id: 'zeta' }, { id: 'alpha', name: 'Alpha' }] });
  } else if (method === 'POST' && path === '/v1/chat/completions') say(200, completion(`You said: ${printed}`));
  else if (method === 'POST' && path === '/v1/messages') say(200, message(`You said: ${printed}`));
  else say(404, { error: { message: 'no such path' } });
}
