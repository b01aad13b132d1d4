import type { ServerResponse } from 'node:http';
import { Meter, type ModelRequest } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { modelCaller } from '../../test/support/model-caller.ts';
import { completion, credentials, goodKey, message, Providers } from '../../test/support/providers.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import { type AskModel, createAskModel } from './model-calls.ts';

const { openai, anthropic } = credentials;
const both = [openai, anthropic];
const time = new VirtualTime();
let providers: Providers;
let askModel: AskModel;
let received: string[];

beforeEach(async () => {
  providers = await Providers.start();
  askModel = createAskModel({ endpoints: providers.endpoints(), clock: time.clock });
  received = [];
});

function request(credentialId: number): ModelRequest {
  const settings = { temperature: null, maxTokens: null, frequencyPenalty: null, presencePenalty: null, topP: null };
  return {
    askedBy: 'agent',
    nodeId: 'gpt',
    credentialId,
    model: 'small',
    system: '',
    messages: [{ role: 'user', content: 'Hello' }],
    settings: { ...settings, responseFormat: null },
  };
}

const listen = (text: string): void => void received.push(text);

function ask(credentialId: number): ReturnType<AskModel> {
  return askModel(request(credentialId), modelCaller({ listen }));
}

/** The events for these pieces of text, as the provider of a credential sends them. */
function eventsOf(credentialId: number, texts: readonly string[]): string[] {
  return credentialId === openai ? openaiEvents(texts) : anthropicEvents(texts);
}

function openaiEvents(texts: readonly string[]): string[] {
  const chunk = (choices: object[], rest: object = {}) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices,
    ...rest,
  });
  const usage = { prompt_tokens: 12, completion_tokens: 5 };
  const events = [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...texts.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
  ];
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
}

function anthropicEvents(texts: readonly string[]): string[] {
  const events = [
    { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 12, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...texts.map((text) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** From now on the provider sends these pieces and ends in this way. */
function streams(pieces: readonly string[], end = (response: ServerResponse): unknown => response.end()): void {
  providers.answersWith((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // One after another, as the system accepts them, so that the client receives pieces.
    const next = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) end(response);
      else response.write(piece, () => setImmediate(() => next(index + 1)));
    };
    next(0);
  });
}

const texts = ['Grü', 'ße, ', 'world 🌍', '.'];
const whole = { text: 'Grüße, world 🌍.', stop: 'end', inputTokens: 12, outputTokens: 5 };

describe.each(both)('a streamed answer of the provider of credential %i', (id) => {
  it('is passed on as it arrives, and equals a whole one', async () => {
    streams(eventsOf(id, texts));
    expect(await ask(id)).toEqual(whole);
    expect(received).toEqual(texts);
    expect(providers.last.body).toMatchObject({ model: 'small', stream: true });
    providers.answers(200, id === openai ? completion(whole.text) : message(whole.text));
    expect(await askModel(request(id), modelCaller())).toEqual(whole);
  });

  it('may be split anywhere', async () => {
    const bytes = eventsOf(id, texts).join('');
    streams(Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) => bytes.slice(index * 7, index * 7 + 7)));
    expect(await ask(id)).toEqual(whole);
    expect(received.join('')).toBe(whole.text);
  });

  it('that breaks off fails and can be retried', async () => {
    streams(eventsOf(id, texts).slice(0, 4));
    const message = "The provider of node 'gpt' broke off its response.";
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true, message });
  });

  it.each([
    '{"choices":[{"de',
    'oops',
    '{"type": "content_block_delta", "delta": }',
  ])('with a part that is not JSON fails and can be retried: %s', async (part) => {
    const events = eventsOf(id, texts);
    streams([...events.slice(0, 4), `data: ${part}\n\n`, ...events.slice(4)]);
    const message =
      "The provider of node 'gpt' streamed a part of its response that is not JSON, so the response is incomplete.";
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_bad_response', retryable: true, message });
  });

  it('that breaks off in the middle of an event fails like any that breaks off', async () => {
    const events = eventsOf(id, texts);
    streams([...events.slice(0, 4), events[4]?.slice(0, 20) ?? '']);
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true });
  });

  it('may contain events without data', async () => {
    const events = eventsOf(id, texts);
    streams([...events.slice(0, 4), 'data:\n\n', ': still here\n\n', ...events.slice(4)]);
    expect(await ask(id)).toEqual(whole);
  });

  it('whose connection breaks fails and can be retried', async () => {
    streams(eventsOf(id, texts).slice(0, 3), (response) => response.destroy());
    await expect(ask(id)).rejects.toMatchObject({ code: 'http_connection', retryable: true });
  });

  it('that ends in an error reports it', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    streams([...eventsOf(id, texts).slice(0, 3), `data: ${JSON.stringify(error)}\n\n`]);
    const message = "The provider of node 'gpt' broke off its response: Overloaded";
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true, message });
  });

  it('shows no secret, wherever it is split', async () => {
    streams(eventsOf(id, ['Your key is ', goodKey.slice(0, 10), goodKey.slice(10), ', is it not?']));
    expect((await ask(id)).text).toBe('Your key is ****, is it not?');
    expect(received.join('')).toBe('Your key is ****, is it not?');
  });

  it('shows no secret in its final error', async () => {
    // In an encoding in which it does not look like a key.
    const repeated = goodKey.replaceAll('-', '%2D');
    const error = { type: 'error', error: { type: 'overloaded_error', message: `No room for ${repeated}` } };
    streams([...eventsOf(id, texts).slice(0, 3), `data: ${JSON.stringify(error)}\n\n`]);
    const message = "The provider of node 'gpt' broke off its response: No room for ****";
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', message });
  });

  it('is requested as a whole if the provider cannot stream', async () => {
    providers.answersWith((response, { body }) => {
      const answer = id === openai ? completion('whole') : message('whole');
      response.writeHead(body?.stream === true ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body?.stream === true ? { error: { message: 'no streams' } } : answer));
    });
    expect(await ask(id)).toMatchObject({ text: 'whole', inputTokens: 12 });
    expect(providers.received).toHaveLength(2);
  });

  it('is read as a whole if the provider ignores the request to stream', async () => {
    providers.answers(200, id === openai ? completion('whole') : message('whole'));
    expect(await ask(id)).toMatchObject({ text: 'whole' });
    expect(received).toEqual([]);
  });

  it('fails like any other if the provider rejects the key', async () => {
    providers.answers(401, { error: { message: 'no' } });
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_auth' });
    expect(providers.received).toHaveLength(1);
  });
});

describe.each(both)('a streamed answer with status 200 of the provider of credential %i', (id) => {
  it.each([0, 1, 3])('that contains an error after %i events fails, in every form of the error', async (before) => {
    for (const data of [
      { error: { message: 'Overloaded' } },
      { error: 'Overloaded' },
      { type: 'error', error: { message: 'Overloaded' } },
      { error: { message: 'Overloaded' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] },
      { choices: [{ delta: { content: '' }, finish_reason: 'error', error: { message: 'Overloaded' } }] },
    ]) {
      streams([
        ...eventsOf(id, texts).slice(0, before),
        `event: error\ndata: ${JSON.stringify(data)}\n\n`,
        'data: [DONE]\n\n',
      ]);
      const message = "The provider of node 'gpt' broke off its response: Overloaded";
      await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true, message });
    }
  });

  it('whose only choice ends with an error fails', async () => {
    const end = { choices: [{ delta: { content: '' }, finish_reason: 'error' }] };
    streams([...eventsOf(id, texts).slice(0, 3), `data: ${JSON.stringify(end)}\n\n`, 'data: [DONE]\n\n']);
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true });
  });

  it('that is an error object with status 200 instead of events fails', async () => {
    providers.answers(200, { error: { message: 'Overloaded', type: 'overloaded_error' } });
    const message = "The provider of node 'gpt' failed (status 200): Overloaded";
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_unavailable', retryable: true, message });
  });
});

describe.each(both)('a large or hostile answer of the provider of credential %i', (id) => {
  it('is ended when its text is longer than any answer', async () => {
    let written = 0;
    providers.answersWith((response) => {
      const piece = eventsOf(id, ['x'.repeat(100_000)]).find((event) => event.includes('xxx')) ?? '';
      const next = (): void => {
        written += 1;
        if (response.destroyed || written > 200) response.end();
        else response.write(piece, () => setImmediate(next));
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      next();
    });
    await expect(ask(id)).rejects.toMatchObject({ code: 'http_too_large', retryable: false });
    expect(received.join('').length).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it('may have more bytes than its text, because each event has some', async () => {
    const filler = `data: ${JSON.stringify({ type: 'ping', choices: [], filler: 'x'.repeat(60_000) })}\n\n`;
    streams([...Array.from({ length: 50 }, () => filler), ...eventsOf(id, texts)]);
    expect(await ask(id)).toEqual(whole);
  });

  it('charges the meter of the step for each event, and only while it reads', async () => {
    streams(['data: {}\n\n'.repeat(10_000), ...eventsOf(id, texts)]);
    let now = 0;
    const clock = (): number => (now += 0.001);
    const call = (steps: number) => askModel(request(id), modelCaller({ listen, meter: new Meter(clock, steps) }));
    await expect(call(100_000)).rejects.toMatchObject({ code: 'work_limit' });
    expect(await call(300_000)).toEqual(whole);
  });

  it.each([
    ['many values', `{"choices":[${'0,'.repeat(60_000)}0]}`],
    ['many lists in one another', '['.repeat(100)],
  ])('that has %s fails like one that is not JSON', async (_what, part) => {
    const events = eventsOf(id, texts);
    streams([...events.slice(0, 4), `data: ${part}\n\n`, ...events.slice(4)]);
    await expect(ask(id)).rejects.toMatchObject({ code: 'model_bad_response' });
  });
});

describe('an answer of an OpenAI-compatible provider', () => {
  it.each([
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'other'],
  ])('that stopped for %s reports it', async (reason, stop) => {
    const choice = { index: 0, delta: { content: 'a' }, finish_reason: reason };
    streams([`data: ${JSON.stringify({ choices: [choice] })}\n\n`]);
    // Without usage and without the end marker, as some local servers send it.
    expect(await ask(openai)).toEqual({ text: 'a', stop, inputTokens: 0, outputTokens: 0 });
  });
});
