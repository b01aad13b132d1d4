import { describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { credentials, damagedMessage, Providers } from '../support/providers.ts';

const { openai, anthropic, wrongKey, locked, damaged } = credentials;
const pathOf = (id: number | string, verb: 'test' | 'models') => `/api/v1/credentials/${id}/${verb}/`;
const lockedMessage = 'base_url changed: enter the API key again';

async function start(): Promise<TestApp & { readonly providers: Providers }> {
  const providers = await Providers.start();
  const endpoints = providers.endpoints();
  const api = await startTestApp({ endpoints });
  return { ...api, providers };
}

describe('POST /api/v1/credentials/{id}/test/', () => {
  it('answers 200 whether the key works or not', async () => {
    const api = await start();
    for (const id of [openai, anthropic]) {
      expect(await api.post(pathOf(id, 'test'))).toMatchObject({ status: 200, body: { ok: true, error: '' } });
    }
    const error = 'The provider rejected the API key (status 401).';
    expect(await api.post(pathOf(wrongKey, 'test'))).toMatchObject({ status: 200, body: { ok: false, error } });
  });

  it('answers within 15 seconds', async () => {
    const api = await start();
    api.providers.hangs();
    const answer = api.post(pathOf(openai, 'test'));
    while (api.providers.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    api.time.advance(15_000);
    const error = 'The provider did not respond within 15 seconds.';
    expect(await answer).toMatchObject({ status: 200, body: { ok: false, error } });
  });

  it('reports that the credential is locked or its secret damaged, and sends nothing', async () => {
    const api = await start();
    for (const [id, error] of [
      [locked, lockedMessage],
      [damaged, damagedMessage],
    ] as const) {
      expect(await api.post(pathOf(id, 'test'))).toMatchObject({ status: 200, body: { ok: false, error } });
      expect(await api.get(pathOf(id, 'models'))).toMatchObject({ status: 200, body: [] });
    }
    expect(api.providers.received).toEqual([]);
  });
});

describe('GET /api/v1/credentials/{id}/models/', () => {
  it('lists models by id', async () => {
    const api = await start();
    const answer = await api.get(pathOf(openai, 'models'));
    expect(answer).toMatchObject({
      status: 200,
      body: [
        { id: 'alpha', name: 'Alpha' },
        { id: 'zeta', name: 'zeta' },
      ],
    });
    expect(answer.headers).not.toHaveProperty('millrace-warning');
    expect((await api.get(pathOf(anthropic, 'models'))).body).toContainEqual({
      id: 'claude-sonnet-5-5',
      name: 'Claude Sonnet 5.5',
    });
  });

  it('lists none if the provider fails or the credential is locked, with the reason in a header', async () => {
    const api = await start();
    expect(await api.get(pathOf(wrongKey, 'models'))).toMatchObject({
      status: 200,
      body: [],
      headers: { 'millrace-warning': 'The provider rejected the API key (status 401).' },
    });
    expect(await api.get(pathOf(locked, 'models'))).toMatchObject({
      status: 200,
      body: [],
      headers: { 'millrace-warning': lockedMessage },
    });
  });
});

it.each(['99', '0', '-1', 'x', '1e3', '99999999999999999999'])('does not find the credential %s', async (id) => {
  const api = await start();
  const missing = { status: 404, body: { detail: 'LLM credential not found.' } };
  expect(await api.post(pathOf(id, 'test'))).toMatchObject(missing);
  expect(await api.get(pathOf(id, 'models'))).toMatchObject(missing);
});

it('requires a key of this service', async () => {
  const api = await start();
  for (const [method, verb] of [
    ['POST', 'test'],
    ['GET', 'models'],
  ] as const) {
    const url = pathOf(openai, verb);
    expect((await api.inject({ method, url, headers: { authorization: '' } })).status).toBe(401);
  }
  expect(api.providers.received).toEqual([]);
});
