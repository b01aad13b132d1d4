import type { JsonObject, OutboundRequest, OutboundResponse } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { sendMessage } from './send-message.ts';
import { perform } from './step.testkit.ts';

const names = { trigger: { payload: { chat: -1007, id: '5', format: 'html', text: 'from <b>outside</b>' } } };

function answer(status: number, given: object | string, headers: Record<string, string> = {}): OutboundResponse {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const body = { size: text.length, text: () => text, base64: () => '' };
  return { url: 'https://api.telegram.org', isFromHome: true, status, headers, body };
}

interface Sent {
  readonly requests: OutboundRequest[];
  readonly result: JsonObject;
}

/** What a config sends, with these answers of the platform; then it accepts everything. */
async function send(config: JsonObject, { input = null as string | null, answers = [] as OutboundResponse[] } = {}) {
  const requests: OutboundRequest[] = [];
  const http = (request: OutboundRequest): OutboundResponse => {
    requests.push(request);
    return answers[requests.length - 1] ?? answer(200, { ok: true, result: { message_id: 100 + requests.length } });
  };
  const { outputs } = await perform(sendMessage, { config, input, names, http });
  return { requests, result: outputs.result as JsonObject } satisfies Sent;
}

function bodies({ requests }: Sent): readonly unknown[] {
  return requests.map(({ body }) => JSON.parse(String(body)));
}

describe('a message', () => {
  it('is a call of sendMessage without a token', async () => {
    const sent = await send({ chat_id: '@news', text: 'Hello' });
    expect(sent.requests).toEqual([
      {
        method: 'POST',
        url: 'https://api.telegram.org/bot/sendMessage',
        headers: { 'content-type': 'application/json' },
        body: '{"chat_id":"@news","text":"Hello"}',
      },
    ]);
    expect(sent.result).toEqual({ message_id: 101, message_ids: [101], chat_id: '@news' });
  });

  it('has the input as its text, and values of expressions', async () => {
    const config = { chat_id: '{{ trigger.payload.chat }}', reply_to: '{{ trigger.payload.id }}' };
    expect(bodies(await send(config, { input: 'From before' }))).toEqual([
      {
        chat_id: '-1007',
        text: 'From before',
        reply_parameters: { message_id: 5, allow_sending_without_reply: true },
      },
    ]);
  });

  it('is plain, HTML, or Markdown that becomes HTML', async () => {
    const html = { chat_id: 1, text: '{{ trigger.payload.text }}', format: '{{ trigger.payload.format }}' };
    expect(bodies(await send(html))).toEqual([{ chat_id: '1', text: 'from <b>outside</b>', parse_mode: 'HTML' }]);
    const markdown = { chat_id: 1, text: '**{{ trigger.payload.text }}**', format: 'markdown' };
    expect(bodies(await send(markdown))).toEqual([
      { chat_id: '1', text: '<b>from &lt;b&gt;outside&lt;/b&gt;</b>', parse_mode: 'HTML' },
    ]);
  });

  it('becomes several messages if it is long, of which only the first one is a reply', async () => {
    const text = `${'a'.repeat(4000)}\n${'b'.repeat(4000)}`;
    const sent = await send({ chat_id: 1, text, reply_to: 9 });
    expect(bodies(sent)).toEqual([
      { chat_id: '1', text: 'a'.repeat(4000), reply_parameters: { message_id: 9, allow_sending_without_reply: true } },
      { chat_id: '1', text: 'b'.repeat(4000) },
    ]);
    expect(sent.result).toEqual({ message_id: 101, message_ids: [101, 102], chat_id: '1' });
  });

  it.each([
    [{ text: 'a'.repeat(40_961) }, '40961 characters'],
    [{ text: ' \n ' }, 'empty'],
    [{ text: 'a', reply_to: '{{ trigger.payload.format }}' }, "'reply_to'"],
    [{ text: 'a', format: '{{ trigger.payload.text }}' }, "'format'"],
  ])('with the config %j is not sent', async (config, words) => {
    const error = { code: 'config', message: expect.stringContaining(words) };
    await expect(send({ chat_id: 1, ...config })).rejects.toMatchObject(error);
  });
});

describe('a rejection of the platform', () => {
  const rejected = (code: number, description: string, parameters: object = {}) =>
    answer(code, { ok: false, error_code: code, description, parameters });

  it('fails the step with its explanation', async () => {
    const answers = [rejected(400, 'Bad Request: chat not found')];
    await expect(send({ chat_id: 1, text: 'a' }, { answers })).rejects.toMatchObject({
      code: 'chat_bot_api',
      message: 'The messaging platform answered 400: Bad Request: chat not found',
      retryable: false,
    });
  });

  it('because of too many messages is retried after the time that it asks for', async () => {
    const answers = [rejected(429, 'Too Many Requests: retry after 7', { retry_after: 7 })];
    const error = { code: 'chat_bot_api', retryable: true, notPerformed: true, retryAfterMs: 7000 };
    await expect(send({ chat_id: 1, text: 'a' }, { answers })).rejects.toMatchObject(error);
  });

  it('of the token names the credential', async () => {
    const message = expect.stringContaining('Check the bot_token');
    const answers = [rejected(401, 'Unauthorized')];
    await expect(send({ chat_id: 1, text: 'a' }, { answers })).rejects.toMatchObject({ message });
  });

  it('without words of the Bot API shows its status', async () => {
    const failed = { code: 'chat_bot_api', retryable: true, notPerformed: false };
    const answers = [answer(502, '<html>Bad gateway</html>')];
    await expect(send({ chat_id: 1, text: 'a' }, { answers })).rejects.toMatchObject({
      ...failed,
      message: 'The messaging platform answered 502: no explanation',
    });
  });

  it('of a later part says what was sent, and is not retried', async () => {
    const answers = [
      answer(200, { ok: true, result: { message_id: 7 } }),
      rejected(429, 'Too Many Requests', { retry_after: 7 }),
    ];
    const text = 'a'.repeat(5000);
    await expect(send({ chat_id: 1, text }, { answers })).rejects.toMatchObject({
      message: expect.stringContaining('Of the 2 parts of the text, 1 had been sent before'),
      retryable: false,
      notPerformed: false,
      metadata: { message_ids: [7] },
    });
  });
});
