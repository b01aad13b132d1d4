import { type JsonObject, Meter, type ModelRequest, type ModelSettings, type SlicedWork } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { modelCaller } from '../../test/support/model-caller.ts';
import { completion, credentials, damagedMessage, goodKey, message, Providers } from '../../test/support/providers.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import { type AskModel, createAskModel } from './model-calls.ts';

const plain: ModelSettings = {
  temperature: null,
  maxTokens: null,
  frequencyPenalty: null,
  presencePenalty: null,
  topP: null,
  responseFormat: null,
};
const full = { temperature: 0.5, maxTokens: 100, topP: 0.9 };
const { openai, anthropic } = credentials;
const both = [openai, anthropic];

const time = new VirtualTime();
let providers: Providers;
let askModel: AskModel;

beforeEach(async () => {
  providers = await Providers.start();
  askModel = createAskModel({ endpoints: providers.endpoints(), clock: time.clock });
});

interface Question extends Partial<Omit<ModelRequest, 'settings'>> {
  readonly settings?: Partial<ModelSettings>;
}

function ask(question: Question, signal = new AbortController().signal): ReturnType<AskModel> {
  return askModel(requestOf(question), modelCaller({ signal }));
}

function requestOf({ settings, ...rest }: Question): ModelRequest {
  return {
    askedBy: 'agent',
    nodeId: 'gpt',
    credentialId: openai,
    model: 'small',
    system: '',
    messages: [{ role: 'user', content: 'Hello' }],
    settings: { ...plain, ...settings },
    ...rest,
  };
}

describe('a call of an OpenAI-compatible provider', () => {
  it('sends the key, the model and the message, and no setting that was not set', async () => {
    const answer = await ask({});
    expect(answer).toEqual({ text: 'You said: Hello', stop: 'end', inputTokens: 12, outputTokens: 5 });
    expect(providers.last).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(providers.last.headers.authorization).toBe(`Bearer ${goodKey}`);
    expect(providers.last.body).toEqual({
      model: 'small',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: false,
    });
  });

  it('sends the system prompt first, and every setting', async () => {
    const responseFormat = { type: 'json_object' };
    await ask({
      system: 'Be brief.',
      settings: { ...full, frequencyPenalty: 0.1, presencePenalty: -0.1, responseFormat },
    });
    expect(providers.last.body).toEqual({
      model: 'small',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream: false,
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      response_format: responseFormat,
    });
  });

  it.each([
    'o3-mini',
    'gpt-5',
    'gpt-5.2-codex',
  ])('limits the reasoning model %s with the parameter that it accepts', async (model) => {
    await ask({ model, settings: { maxTokens: 7 } });
    expect(providers.last.body).toMatchObject({ max_completion_tokens: 7 });
    expect(providers.last.body).not.toHaveProperty('max_tokens');
  });

  it('reads text in parts, and answers without a count', async () => {
    const parts = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];
    providers.answers(200, completion(parts, { usage: null }));
    expect(await ask({})).toEqual({ text: 'ab', stop: 'end', inputTokens: 0, outputTokens: 0 });
  });

  it.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'other'],
    [null, 'end'],
  ])('reports that the model stopped by %s', async (finish_reason, stop) => {
    providers.answers(200, completion('', { choices: [{ message: { content: 'x' }, finish_reason }] }));
    expect((await ask({})).stop).toBe(stop);
  });

  it('recognizes that the model declined, in a field beside the text', async () => {
    const choices = [{ message: { content: null, refusal: 'I cannot.' }, finish_reason: 'stop' }];
    providers.answers(200, completion('', { choices }));
    expect(await ask({})).toMatchObject({ text: '', stop: 'refusal' });
  });

  it('is not made with a response_format that is not an object', async () => {
    await expect(ask({ settings: { responseFormat: 'json' } })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining("Node 'gpt', response_format"),
    });
    expect(providers.received).toEqual([]);
  });
});

describe('a call of an Anthropic provider', () => {
  it('sends the key, the version and the limit that this protocol needs', async () => {
    const answer = await ask({ credentialId: anthropic, system: 'Be brief.' });
    expect(answer).toEqual({ text: 'You said: Hello', stop: 'end', inputTokens: 12, outputTokens: 5 });
    expect(providers.last).toMatchObject({ method: 'POST', path: '/v1/messages' });
    expect(providers.last.headers).toMatchObject({ 'x-api-key': goodKey, 'anthropic-version': '2023-06-01' });
    expect(providers.last.body).toEqual({
      model: 'small',
      max_tokens: 8192,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  it("sends every supported setting, and the response format in the protocol's terms", async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    const responseFormat = { type: 'json_schema', json_schema: { name: 'n', schema } };
    await ask({ credentialId: anthropic, settings: { ...full, responseFormat } });
    expect(providers.last.body).toEqual({
      model: 'small',
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      output_config: { format: { type: 'json_schema', schema } },
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  it.each<[string, Partial<ModelSettings>]>([
    ['frequency_penalty', { frequencyPenalty: 1 }],
    ['presence_penalty', { presencePenalty: 0.1 }],
    ['response_format', { responseFormat: { type: 'json_object' } }],
    ['response_format', { responseFormat: { type: 'json_schema', json_schema: {} } }],
  ])('is not made with a %s, which it does not support', async (key, settings) => {
    await expect(ask({ credentialId: anthropic, settings })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`Node 'gpt', ${key}`),
    });
    expect(providers.received).toEqual([]);
  });

  it('accepts settings without effect: no penalty, and plain text', async () => {
    const settings = { frequencyPenalty: 0, presencePenalty: 0, responseFormat: { type: 'text' } };
    expect((await ask({ credentialId: anthropic, settings })).text).toBe('You said: Hello');
  });

  it('joins the text, omits thinking, and counts cached tokens too', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', text: 'Hm.' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const usage = { input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 4, output_tokens: 8 };
    providers.answers(200, message('', { content, usage, stop_reason: 'max_tokens' }));
    const answer = await ask({ credentialId: anthropic });
    expect(answer).toEqual({ text: 'ab', stop: 'length', inputTokens: 7, outputTokens: 8, cachedInputTokens: 4 });
  });
});

describe('a provider that does not answer with success', () => {
  it.each([
    [400, 'model_refused', false],
    [401, 'model_auth', false],
    [402, 'model_refused', false],
    [403, 'model_auth', false],
    [404, 'model_refused', false],
    [408, 'model_unavailable', true],
    [425, 'model_unavailable', true],
    [422, 'model_refused', false],
    [429, 'model_rate_limited', true],
    [500, 'model_unavailable', true],
    [503, 'model_unavailable', true],
    [529, 'model_unavailable', true],
  ])('fails the step by its status: %i is %s, and may pass: %s', async (status, code, retryable) => {
    for (const credentialId of both) {
      providers.answers(status, { error: { message: 'So it is.' } });
      await expect(ask({ credentialId })).rejects.toMatchObject({ code, retryable, retryAfterMs: 0 });
    }
  });

  it("reports the provider's message, without anything that looks like a key", async () => {
    const word = `The model\u0000is too old; key ${goodKey} and Bearer ${'A'.repeat(64)}`;
    providers.answers(400, { error: { message: word } });
    await expect(ask({})).rejects.toThrow(
      /^The provider of node 'gpt' does not accept the request \(status 400\): The model is too old; key \*{4} and Bearer \*{4}$/,
    );
    providers.answers(400, { error: { message: 'x '.repeat(5000) } });
    await expect(ask({})).rejects.toThrow(/^.{0,400}$/);
  });

  it('never repeats its message about a key', async () => {
    await expect(ask({ credentialId: credentials.wrongKey })).rejects.toMatchObject({
      code: 'model_auth',
      message: "The provider of node 'gpt' rejected the API key (status 401): check the API key of LLM credential 3.",
    });
  });

  it.each([
    ['2', 2000],
    ['0.5', 500],
    [new Date(time.clock.now() + 90_000).toUTCString(), 90_000],
    ['99999999', 3_600_000],
    ['-5', 0],
    ['soon', 0],
  ])('is not called again before the time that it requests: %s', async (header, retryAfterMs) => {
    providers.answers(429, {}, { 'retry-after': header });
    await expect(ask({})).rejects.toMatchObject({ code: 'model_rate_limited', retryAfterMs });
  });
});

describe('an invalid answer with status 200', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['a list', []],
    ['null', 'null'],
    ['an error in disguise', { error: { message: 'no' } }],
    ['no choice', { choices: [], content: 'text' }],
    ['a wrong type', { choices: [{ message: { content: { a: 1 } } }], content: [{ type: 1 }] }],
    ['a prototype', '{"__proto__": {"choices": [{"message": {"content": "x"}}], "content": []}}'],
    ['deep JSON', `{"choices": ${deep(100_000)}, "content": ${deep(100_000)}}`],
    ['many values', `{"choices": [${'{},'.repeat(60_000)}{}], "content": [${'{},'.repeat(60_000)}{}]}`],
    ['many names', `{"choices": [], ${Array.from({ length: 60_000 }, (_, index) => `"n${index}":1`).join()}}`],
  ])('fails the step if it is %s', async (_what, body) => {
    providers.answers(200, body);
    for (const credentialId of both) {
      await expect(ask({ credentialId })).rejects.toMatchObject({ code: 'model_bad_response', retryable: false });
    }
  });

  it.each<[error: unknown, code: string, retryable: boolean, words: string]>([
    [{ message: 'Overloaded', type: 'overloaded_error' }, 'model_unavailable', true, 'failed (status 200): Overloaded'],
    [{ message: 'Too many', code: 429 }, 'model_rate_limited', true, 'no more requests for now (status 429): Too many'],
    [{ message: 'Too many', code: '429' }, 'model_rate_limited', true, '(status 429): Too many'],
    [{ message: 'Bad gateway', status: 502 }, 'model_unavailable', true, 'failed (status 502): Bad gateway'],
    [{ message: 'Wrong', type: 'authentication_error' }, 'model_auth', false, 'rejected the API key (status 200)'],
    [{ message: 'Wrong', code: 'invalid_api_key' }, 'model_auth', false, 'check the API key of LLM credential'],
    [{ message: 'Too long', type: 'invalid_request_error' }, 'model_refused', false, '(status 200): Too long'],
    [{ message: 'No such model', type: 'not_found_error' }, 'model_refused', false, '(status 200), check model_name'],
    [{ message: 'So it is.' }, 'model_bad_response', false, 'sent an error (status 200): So it is.'],
    ['So it is.', 'model_bad_response', false, 'sent an error (status 200): So it is.'],
    [{}, 'model_bad_response', false, 'a response that cannot be read (status 200)'],
  ])('fails the step if it contains the error %j, alone or beside an empty answer', async (error, code, retryable, words) => {
    const choice = { message: { content: '' }, finish_reason: 'error' };
    for (const rest of [
      {},
      { type: 'error' },
      { ...message(''), ...completion('') },
      { choices: [choice], content: [] },
    ]) {
      providers.answers(200, { ...rest, error });
      for (const credentialId of both) {
        await expect(ask({ credentialId })).rejects.toMatchObject({
          code,
          retryable,
          message: expect.stringContaining(words),
        });
      }
    }
    providers.answers(200, { choices: [{ ...choice, error }] });
    await expect(ask({})).rejects.toMatchObject({ code, retryable });
  });

  it.each([null, false, ''])('is an answer if its error is %j', async (error) => {
    providers.answers(200, { ...completion('Hello'), ...message('Hello'), error });
    for (const credentialId of both) expect((await ask({ credentialId })).text).toBe('Hello');
  });

  it('fails the step if its only choice ended with an error', async () => {
    providers.answers(200, { choices: [{ message: { content: 'Hel' }, finish_reason: 'error' }] });
    await expect(ask({})).rejects.toMatchObject({ code: 'model_bad_response' });
  });

  it.each([2, 11])('fails the step if it is larger than %i MiB, and says how to limit it', async (most) => {
    providers.answers(200, { ...completion('x'.repeat(most * 1024 * 1024)), ...message('x') });
    for (const credentialId of both) {
      await expect(ask({ credentialId })).rejects.toMatchObject({ code: 'http_too_large', retryable: false });
    }
  });

  it('charges the meter of the step for its JSON, and pauses while it reads a long one', async () => {
    const text = 'x'.repeat(500_000);
    providers.answers(200, { ...completion(text), ...message(text) });
    for (const credentialId of both) {
      let pauses = 0;
      const meter = new Meter(() => 0, 50_000);
      const counted = <Result>(work: SlicedWork<Result>): Result => {
        for (;;) {
          const { done, value } = work.next();
          if (done === true) return value;
          pauses += 1;
        }
      };
      await askModel(requestOf({ credentialId }), modelCaller({ inSlices: counted, meter: new Meter(() => 0) }));
      expect(pauses).toBeGreaterThan(1);
      const short = askModel(requestOf({ credentialId }), modelCaller({ meter }));
      await expect(short).rejects.toMatchObject({ code: 'work_limit' });
    }
  });

  it('counts no tokens if the usage has wrong types', async () => {
    const usage = { prompt_tokens: -1, completion_tokens: 'many', input_tokens: 1.5, output_tokens: 1e300 };
    providers.answers(200, { ...completion('x'), ...message('x'), usage });
    for (const credentialId of both) {
      expect(await ask({ credentialId })).toMatchObject({ inputTokens: 0, outputTokens: 0 });
    }
  });
});

it.each<[body: JsonObject, code: string, words: string]>([
  [{ message: 'Quota exceeded', code: 429 }, 'model_rate_limited', '(status 429): Quota exceeded'],
  [{ message: 'Wrong key', code: 'invalid_api_key' }, 'model_auth', 'rejected the API key'],
  [{ message: 'No money left', code: 1113 }, 'model_bad_response', 'sent an error (status 200): No money left'],
  [{ detail: 'Model is loading' }, 'model_bad_response', 'sent an error (status 200): Model is loading'],
  [{ detail: [{ msg: 'one' }, { msg: 'two' }] }, 'model_bad_response', 'sent an error (status 200): one; two'],
  [{ detail: { message: 'Too long' } }, 'model_bad_response', 'sent an error (status 200): Too long'],
  [{ type: 'server_error', message: 'Down' }, 'model_unavailable', 'failed (status 200): Down'],
])('a message in the place of an answer with status 200 fails the step: %j', async (body, code, words) => {
  providers.answers(200, body);
  for (const credentialId of both) {
    await expect(ask({ credentialId })).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  }
});

it('an answer with status 200 that is an error itself fails the step', async () => {
  providers.answers(200, { object: 'error', message: 'Too long', type: 'BadRequestError', param: null, code: 400 });
  const message = expect.stringContaining('Too long');
  await expect(ask({})).rejects.toMatchObject({ code: 'model_refused', message });
});

describe('a model that cannot be called', () => {
  it('reports what its node lacks, and nothing is sent', async () => {
    await expect(ask({ model: '' })).rejects.toMatchObject({
      code: 'config',
      message: "Node 'gpt' names no model: set its model_name.",
    });
    await expect(ask({ credentialId: null })).rejects.toMatchObject({
      code: 'credential_missing',
      message: "Node 'gpt' has no LLM credential: set its llm_credential_id.",
    });
    await expect(ask({ credentialId: 99 })).rejects.toMatchObject({
      code: 'credential_missing',
      message: "Node 'gpt' uses LLM credential 99, which does not exist: choose another in its llm_credential_id.",
    });
    expect(providers.received).toEqual([]);
  });

  it('reports a locked credential with the message of the interface', async () => {
    await expect(ask({ credentialId: credentials.locked })).rejects.toMatchObject({
      code: 'credential_locked',
      message: 'base_url changed: enter the API key again',
    });
    expect(providers.received).toEqual([]);
  });
});

it('fails the step without a retry if the secret cannot be decrypted', async () => {
  await expect(ask({ credentialId: credentials.damaged })).rejects.toMatchObject({
    name: 'StepError',
    code: 'secret_unreadable',
    message: damagedMessage,
    retryable: false,
  });
});

it('ends with the signal of its step', async () => {
  providers.hangs();
  const abort = new AbortController();
  const asked = ask({}, abort.signal);
  while (providers.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await expect(asked).rejects.toThrow();
});

it('follows a redirect without the key where it leads elsewhere', async () => {
  const other = await Providers.start();
  const paths = { [openai]: '/v1/chat/completions', [anthropic]: '/v1/messages' };
  for (const credentialId of both) {
    providers.answers(307, '', { location: other.url + paths[credentialId] });
    await expect(ask({ credentialId })).rejects.toMatchObject({ code: 'model_auth' });
    expect(JSON.stringify(other.last.headers)).not.toContain(goodKey);
  }
});
