import { beforeEach, describe, expect, it } from 'vitest';
import { credentials, goodKey, Providers } from '../../test/support/providers.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import type { LlmEndpoint } from '../secrets/llm-endpoint.ts';
import { textRedactor } from '../secrets/llm-endpoints.ts';
import { createProbes, type Probes } from './probes.ts';

const { openai, anthropic, wrongKey, wrongAnthropicKey } = credentials;

let time: VirtualTime;
let providers: Providers;
let probes: Probes;
let endpoint: (id: number) => Promise<LlmEndpoint>;

beforeEach(async () => {
  time = new VirtualTime();
  providers = await Providers.start();
  probes = createProbes(time);
  const endpoints = providers.endpoints();
  endpoint = async (id) => {
    const opened = await endpoints.open(id);
    if ('kind' in opened) throw new Error('it does not open');
    return opened;
  };
});

const test = async (id: number) => probes.test(await endpoint(id));
const list = async (id: number) => probes.list(await endpoint(id));

describe('testing a key', () => {
  it('is one minimal call', async () => {
    expect(await test(openai)).toBeNull();
    expect(providers.received[0]).toMatchObject({ method: 'GET', path: '/v1/models', body: null });
    expect(await test(anthropic)).toBeNull();
    expect(providers.last).toMatchObject({ method: 'POST', path: '/v1/messages', body: { max_tokens: 1 } });
    // The third request checks whether the first one works without a key.
    expect(providers.received).toHaveLength(3);
    expect(providers.received[1]?.headers).not.toHaveProperty('authorization');
    expect(time.pending).toBe(0);
  });

  it('requests one token if the model list is public', async () => {
    const open = (status: number) =>
      providers.answersWith((response, { path, headers }) => {
        const isGood = path === '/v1/models' || headers.authorization === `Bearer ${goodKey}`;
        response.writeHead(isGood ? (path === '/v1/models' ? 200 : status) : 401);
        response.end(JSON.stringify({ data: [{ id: 'small' }] }));
      });
    for (const status of [200, 400, 404]) {
      open(status);
      expect(await test(wrongKey)).toBe('The provider rejected the API key (status 401).');
      expect(await test(openai)).toBeNull();
    }
    const [question] = providers.received.filter(({ method }) => method === 'POST');
    expect(question).toMatchObject({ path: '/v1/chat/completions', body: { model: 'small', max_tokens: 1 } });
    open(429);
    expect(await test(openai)).toBe('The provider accepts no more requests for now (status 429).');
  });

  it("reports a wrong key without the provider's message", async () => {
    for (const id of [wrongKey, wrongAnthropicKey]) {
      expect(await test(id)).toBe('The provider rejected the API key (status 401).');
    }
  });

  it('accepts the key if the provider only lacks the model', async () => {
    const error = { type: 'not_found_error', message: 'model: claude-haiku-5-5' };
    providers.answers(404, { type: 'error', error });
    expect(await test(anthropic)).toBeNull();
    expect(await test(openai)).toBe('The provider does not have this path (status 404): check base_url.');
  });

  it.each([
    [302, 'The response is not from a provider of this type (status 302): check base_url and provider_type.'],
    [400, 'The provider did not accept the request (status 400).'],
    [403, 'The provider rejected the API key (status 403).'],
    [404, 'The provider does not have this path (status 404): check base_url.'],
    [429, 'The provider accepts no more requests for now (status 429).'],
    [500, 'The provider failed (status 500).'],
  ])('has its own message for status %i that repeats nothing', async (status, sentence) => {
    providers.answers(status, { error: { message: `secret ${goodKey}` } });
    for (const id of [openai, anthropic]) expect(await test(id)).toBe(sentence);
  });

  it('reports that the answer is invalid', async () => {
    const sentence = 'The response is not from a provider of this type (status 200): check base_url and provider_type.';
    for (const body of ['<html>', '', `"${'x'.repeat(2 ** 20)}"`, `"${'x'.repeat(11 * 2 ** 20)}"`]) {
      providers.answers(200, body);
      expect(await test(openai)).toBe(sentence);
    }
  });

  it('gives up after 15 seconds and aborts its request', async () => {
    let closed = false;
    providers.answersWith((response) => response.on('close', () => (closed = true)));
    const tested = test(openai);
    while (providers.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    time.advance(14_999);
    const isOver = await Promise.race([
      tested.then(() => true),
      new Promise((resolve) => setImmediate(resolve, false)),
    ]);
    expect(isOver).toBe(false);
    time.advance(1);
    expect(await tested).toBe('The provider did not respond within 15 seconds.');
    while (!closed) await new Promise((resolve) => setImmediate(resolve));
    expect(time.pending).toBe(0);
  });

  it('distinguishes a closed port from an unknown name', async () => {
    const nowhere = (url: string): LlmEndpoint => ({
      credentialId: 1,
      providerType: 'provider_a_compatible',
      hasSecrets: true,
      redactor: () => textRedactor([]),
      send: async () => {
        throw new Error(url);
      },
    });
    for (const url of ['closed', 'unknown']) {
      expect(await probes.test(nowhere(url))).toBe('The provider cannot be reached: check base_url.');
    }
  });
});

it('finds an error inside an answer with status 200', async () => {
  providers.answers(200, { type: 'error', error: { type: 'authentication_error', message: `Wrong: ${goodKey}` } });
  for (const id of [openai, anthropic]) expect(await test(id)).toBe('The provider rejected the API key (status 200).');
  expect(await list(openai)).toEqual({ models: [], warning: 'The provider rejected the API key (status 200).' });
  providers.answers(200, { error: { type: 'not_found_error', message: 'model: claude-haiku-5-5' } });
  expect(await test(anthropic)).toBeNull();
  // The list is public, and the question needs a key.
  providers.answersWith((response, { path, headers }) => {
    const isGood = path === '/v1/models' || headers.authorization === `Bearer ${goodKey}`;
    response.end(JSON.stringify(isGood ? { data: [{ id: 'small' }] } : { error: { code: 401, message: 'Wrong' } }));
  });
  expect(await test(wrongKey)).toBe('The provider rejected the API key (status 401).');
  expect(await test(openai)).toBeNull();
});

describe('the list of models', () => {
  it('comes from an OpenAI-compatible provider, by id', async () => {
    expect(await list(openai)).toEqual({
      models: [
        { id: 'alpha', name: 'Alpha' },
        { id: 'zeta', name: 'zeta' },
      ],
      warning: null,
    });
  });

  it('is our own for an Anthropic provider, which gets no request', async () => {
    const { models, warning } = await list(wrongAnthropicKey);
    expect(warning).toBeNull();
    expect(models.length).toBeGreaterThan(3);
    expect(models).toEqual([...models].sort((a, b) => (a.id < b.id ? -1 : 1)));
    expect(providers.received).toEqual([]);
  });

  it('is empty with a warning when the provider fails', async () => {
    expect(await list(wrongKey)).toEqual({ models: [], warning: 'The provider rejected the API key (status 401).' });
    for (const body of ['<html>', [], { data: 'many' }, { data: { length: 9 } }]) {
      providers.answers(200, body);
      expect(await list(openai)).toEqual({
        models: [],
        warning: 'The response is not from a provider of this type (status 200): check base_url and provider_type.',
      });
    }
  });

  it('has at most a thousand models without duplicates, and omits entries without an id', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ id: `m${String(index).padStart(4, '0')}` }));
    providers.answers(200, { data: [...many, ...many, null, 7, {}, { id: 7 }, { id: '' }, { id: 'x'.repeat(257) }] });
    const { models } = await list(openai);
    expect(models).toHaveLength(1000);
    expect(models.at(-1)?.id).toBe('m0999');
  });

  it('has no control characters for terminals or pages in its names', async () => {
    providers.answers(200, {
      data: [
        { id: 'a\u001b[31m\nb\u202e', name: 7 },
        { id: 'c', name: '\u0000 d\ud800' },
      ],
    });
    expect((await list(openai)).models).toEqual([
      { id: 'a[31mb', name: 'a[31mb' },
      { id: 'c', name: 'd\ufffd' },
    ]);
  });

  it('rejects an answer of more than 1 MiB', async () => {
    providers.answers(200, { data: [{ id: 'a' }], filler: 'x'.repeat(2 ** 20) });
    expect((await list(openai)).models).toEqual([]);
  });
});
