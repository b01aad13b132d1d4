import type { ModelExtras, ModelRequest } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { modelCaller } from '../../test/support/model-caller.ts';
import { completion, credentials, message, Providers } from '../../test/support/providers.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import { type AskModel, createAskModel } from './model-calls.ts';

const { openai, anthropic } = credentials;
let providers: Providers;
let askModel: AskModel;

beforeEach(async () => {
  providers = await Providers.start();
  askModel = createAskModel({ endpoints: providers.endpoints(), clock: new VirtualTime().clock });
});

function request(credentialId: number, extras: Partial<ModelExtras> = {}): ModelRequest {
  const settings = { temperature: null, maxTokens: 7, frequencyPenalty: null, presencePenalty: null, topP: null };
  return {
    askedBy: 'agent',
    nodeId: 'gpt',
    credentialId,
    model: 'renamed-by-a-gateway',
    system: '',
    messages: [{ role: 'user', content: 'Hello' }],
    settings: { ...settings, responseFormat: null },
    extras: { limitKey: null, reasoningEffort: null, isCached: true, body: {}, ...extras },
  };
}

const ask = (credentialId: number, extras: Partial<ModelExtras> = {}): ReturnType<AskModel> =>
  askModel(request(credentialId, extras), modelCaller());

describe('what a model node adds to a request', () => {
  it.each([
    'max_tokens',
    'max_completion_tokens',
  ] as const)('can name the limit %s, whatever the model', async (key) => {
    await ask(openai, { limitKey: key });
    expect(providers.last.body).toMatchObject({ [key]: 7 });
    expect(Object.keys(providers.last.body as object).filter((name) => name.startsWith('max_'))).toEqual([key]);
  });

  it('sets how much the model thinks, in the words of each protocol', async () => {
    await ask(openai, { reasoningEffort: 'low' });
    expect(providers.last.body).toMatchObject({ reasoning_effort: 'low' });
    await ask(anthropic, { reasoningEffort: 'xhigh' });
    expect(providers.last.body).toMatchObject({ output_config: { effort: 'xhigh' } });
  });

  it.each([
    openai,
    anthropic,
  ])('passes further keys to the provider of credential %i, but replaces none', async (id) => {
    await ask(id, { body: { top_k: 40, model: 'another', max_tokens: 1 } });
    expect(providers.last.body).toMatchObject({ top_k: 40, model: 'renamed-by-a-gateway', max_tokens: 7 });
  });
});

describe('the cache of a prompt', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const tool = { name: 'calc', description: 'Calculates.', parameters: { type: 'object' } };
  const call = { id: 'c1', tool: 'calc', arguments: { expression: '6 * 7' } };

  function withTools(credentialId: number, extras: Partial<ModelExtras> = {}): ModelRequest {
    return {
      ...request(credentialId, extras),
      system: 'You calculate.',
      messages: [
        { role: 'user', content: 'What is 6 * 7?' },
        { role: 'assistant', content: '', calls: [call] },
        { role: 'tool', id: 'c1', content: '42', isError: false },
      ],
      tools: { list: [{ ...tool, name: 'other' }, tool], choice: 'auto', isParallel: true },
    };
  }

  it('ends after the tools, the system prompt and the last result, for a provider that has to be asked', async () => {
    await askModel(withTools(anthropic), modelCaller());
    const { tools, system, messages } = providers.last.body as Record<string, readonly Record<string, unknown>[]>;
    expect(tools?.map((sent) => 'cache_control' in sent)).toEqual([false, true]);
    expect(system).toEqual([{ type: 'text', text: 'You calculate.', ...mark }]);
    expect(messages?.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: '42', ...mark }],
    });
    expect(JSON.stringify(messages?.slice(0, -1))).not.toContain('cache_control');
  });

  it('marks the question in the first call, and no empty one', async () => {
    const first = withTools(anthropic);
    await askModel({ ...first, messages: [{ role: 'user', content: 'Hello' }] }, modelCaller());
    expect(providers.last.body).toMatchObject({ messages: [{ content: [{ type: 'text', text: 'Hello', ...mark }] }] });
    await askModel({ ...first, system: '', messages: [{ role: 'user', content: '' }] }, modelCaller());
    expect(providers.last.body).toMatchObject({ messages: [{ role: 'user', content: '' }] });
    expect(providers.last.body).not.toHaveProperty('system');
  });

  it('is not used without tools, if it is switched off, and for servers that cache by themselves', async () => {
    const { tools: _none, ...single } = withTools(anthropic);
    for (const asked of [single, withTools(anthropic, { isCached: false }), withTools(openai)]) {
      await askModel(asked, modelCaller());
      expect(JSON.stringify(providers.last.body)).not.toContain('cache_control');
    }
  });
});

describe('the cached tokens of an answer', () => {
  const openaiUsage = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
  const anthropicUsage = { input_tokens: 4, cache_read_input_tokens: 8, output_tokens: 5 };
  const counted = { inputTokens: 12, outputTokens: 5, cachedInputTokens: 8 };

  it('are counted among the input tokens', async () => {
    providers.answers(200, completion('Hi', { usage: openaiUsage }));
    expect(await ask(openai)).toMatchObject(counted);
    providers.answers(200, message('Hi', { usage: anthropicUsage }));
    expect(await ask(anthropic)).toMatchObject(counted);
  });

  it.each([
    [openai, [{ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] }, { choices: [], usage: openaiUsage }]],
    [
      anthropic,
      [
        { type: 'message_start', message: { usage: anthropicUsage } },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ],
    ],
  ])('are counted in a streamed answer of credential %i', async (id, events) => {
    providers.answersWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    expect(await askModel(request(id), modelCaller({ listen: () => undefined }))).toMatchObject({
      text: 'Hi',
      ...counted,
    });
  });
});
