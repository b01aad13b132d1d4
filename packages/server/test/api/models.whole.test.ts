import { executionDetail } from '@millrace/contract';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { type Api, apiOf } from '../support/api.ts';
import { addKeyedUser } from '../support/keyed-user.ts';
import { goodKey, Providers } from '../support/providers.ts';
import { testVault } from '../support/vault.ts';

interface Service extends Api {
  readonly providers: Providers;
}

/** The whole service as `npm start` wires it, with its own outbound client, and a provider on another port. */
async function start(): Promise<Service> {
  const providers = await Providers.start();
  const store = openSqliteStore({ path: ':memory:' });
  const clock = systemClock;
  const log = pino({ level: 'silent' });
  const vault = testVault(store);
  const app = createApp({ host: '127.0.0.1', log, store, vault, clock, timers: systemTimers, random: () => 0 });
  await app.server.ready();
  app.runner.start();
  onTestFinished(async () => {
    await app.server.close();
    await app.runner.stop(0);
    await app.close();
    await store.close();
  });
  const { key } = await addKeyedUser(store, { username: 'admin', isAdmin: true, at: clock.now() });
  return { providers, ...apiOf(app.server, key) };
}

const ofB = { provider_type: 'provider_b', api_key: goodKey };

async function addCredential(api: Service, detail: object): Promise<number> {
  const body = { name: 'Provider', credential_type: 'llm', detail };
  const answer = await api.post('/api/v1/credentials/', body);
  expect(answer.status).toBe(201);
  return (answer.body as { id: number }).id;
}

/** A workflow in which a webhook leads to an agent with this credential. */
async function addAgent(api: Service, credentialId: number): Promise<void> {
  const path = '/api/v1/workflows/wf';
  await api.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
  const config = { llm_credential_id: credentialId, model_name: 'small' };
  await api.post(`${path}/nodes/`, { node_id: 'hook', component_type: 'trigger_webhook' });
  await api.post(`${path}/nodes/`, { node_id: 'ai', component_type: 'agent', config: { system_prompt: 'Be brief.' } });
  await api.post(`${path}/nodes/`, { node_id: 'gpt', component_type: 'ai_model', config });
  await api.post(`${path}/edges/`, { source_node_id: 'hook', target_node_id: 'ai' });
  const llm = { source_node_id: 'gpt', target_node_id: 'ai', edge_label: 'llm' };
  expect((await api.post(`${path}/edges/`, llm)).status).toBe(201);
}

/** The result of a webhook request. */
async function run(api: Service) {
  const answer = await api.post('/api/v1/webhooks/wf', 'Hello');
  const { execution_id } = answer.body as { execution_id: string };
  for (;;) {
    const detail = executionDetail.parse((await api.get(`/api/v1/executions/${execution_id}/`)).body);
    if (detail.status === 'completed' || detail.status === 'failed') return { detail, text: JSON.stringify(detail) };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a stored LLM credential', () => {
  it.each([
    ['provider A', '/v1', { api_key: goodKey }, '/v1/chat/completions'],
    ['provider B', '', ofB, '/v1/messages'],
  ])('of %s is tested, lists its models, and is used by an agent', async (_name, base, detail, path) => {
    const api = await start();
    const id = await addCredential(api, { ...detail, base_url: api.providers.url + base });
    expect(await api.post(`/api/v1/credentials/${id}/test/`)).toMatchObject({
      status: 200,
      body: { ok: true, error: '' },
    });
    const models = (await api.get(`/api/v1/credentials/${id}/models/`)).body as readonly unknown[];
    expect(models.length).toBeGreaterThan(1);
    await addAgent(api, id);
    const { detail: run1, text } = await run(api);
    expect(run1).toMatchObject({ final_output: 'You said: Hello', total_tokens: 17, llm_calls: 1 });
    expect(api.providers.last.path).toBe(path);
    expect(text).not.toContain(goodKey);
  });

  it('is used by an agent of a text, whose prompt and input are sent', async () => {
    const api = await start();
    await addCredential(api, { api_key: goodKey, base_url: `${api.providers.url}/v1` });
    const steps = 'trigger: chat\nsteps: [{id: ai, type: agent, prompt: You are helpful.}]';
    const yaml_str = `name: Chat\nslug: chat\nmodel: {credential: Provider, model_name: small}\n${steps}\n`;
    expect((await api.post('/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
    const { body } = await api.post('/api/v1/workflows/chat/chat/', { text: 'Where is my refund?' });
    expect(body).toMatchObject({ text: 'You said: Where is my refund?' });
    expect(api.providers.last.body?.messages).toEqual([
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: 'Where is my refund?' },
    ]);
    const exported = await api.get('/api/v1/workflows/chat/export/');
    expect(exported.body).toMatchObject({ yaml_str: expect.stringContaining('    prompt: You are helpful.\n') });
  });

  it('is locked if its base_url moves to another origin, for test, models and agents', async () => {
    const api = await start();
    const elsewhere = await Providers.start();
    const id = await addCredential(api, { api_key: goodKey, base_url: `${api.providers.url}/v1` });
    await addAgent(api, id);
    await api.patch(`/api/v1/credentials/${id}/`, { detail: { base_url: `${elsewhere.url}/v1` } });
    const words = 'base_url changed: enter the API key again';
    expect((await api.post(`/api/v1/credentials/${id}/test/`)).body).toEqual({ ok: false, error: words });
    expect((await api.get(`/api/v1/credentials/${id}/models/`)).body).toEqual([]);
    expect((await run(api)).detail).toMatchObject({ status: 'failed', error_message: `Node 'ai' failed: ${words}` });
    expect([...api.providers.received, ...elsewhere.received]).toEqual([]);
    await api.patch(`/api/v1/credentials/${id}/`, { detail: { api_key: goodKey } });
    expect((await run(api)).detail.status).toBe('completed');
  });

  it('that was deleted fails the agent, and the error explains what to do', async () => {
    const api = await start();
    const id = await addCredential(api, { api_key: goodKey, base_url: `${api.providers.url}/v1` });
    await addAgent(api, id);
    await api.delete(`/api/v1/credentials/${id}/`);
    expect((await run(api)).detail.error_message).toBe(
      "Node 'ai' failed: Node 'gpt' uses LLM credential 1, which does not exist: choose another in its llm_credential_id.",
    );
    expect((await api.post(`/api/v1/credentials/${id}/test/`)).body).toEqual({ detail: 'LLM credential not found.' });
  });

  it('of another type is rejected', async () => {
    const api = await start();
    const { body } = await api.post('/api/v1/credentials/', { name: 'Tool', credential_type: 'tool' });
    const missing = { status: 404, body: { detail: 'LLM credential not found.' } };
    const { id } = body as { id: number };
    expect(await api.post(`/api/v1/credentials/${id}/test/`)).toMatchObject(missing);
    expect(await api.get(`/api/v1/credentials/${id}/models/`)).toMatchObject(missing);
  });
});
