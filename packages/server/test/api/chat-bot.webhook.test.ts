import type { AddressInfo } from 'node:net';
import { credential } from '@millrace/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { hurried, type Member, WholeApp } from '../support/whole-app.ts';

const path = '/api/v1/workflows/bot/';

let platform: FakeBotApi;
let app: WholeApp;
let api: Member;
let origin: string;
beforeAll(async () => {
  platform = await FakeBotApi.start();
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  app = await WholeApp.start(hurried, { host: '127.0.0.1', outbound, botApi: platform.url });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  origin = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  api = await app.member('owner');
});
afterAll(async () => {
  await app.close();
  await platform.close();
});

let bots = 700;
let token: string;
let credentialId: number;
const url = () => `${origin}/api/v1/bots/${bots}/updates`;

beforeEach(async () => {
  platform.forget();
  bots += 1;
  token = `${bots}:a-token-of-a-bot`;
  const detail = { bot_token: token, allowed_user_ids: '*' };
  const body = { name: `Bot ${bots}`, credential_type: 'chat_bot', detail };
  credentialId = credential.parse((await api.post('/api/v1/credentials/', body)).body).id;
});
afterEach(async () => {
  await api.delete(path);
  expect(app.errors).toEqual([]);
});

/** A workflow that answers every message. */
async function addTrigger(config: object = { mode: 'webhook' }): Promise<void> {
  await api.post('/api/v1/workflows/', { name: 'Bot', slug: 'bot' });
  const extra_config = { template: 'You wrote: {{ trigger.text }}' };
  const say = { node_id: 'say', component_type: 'template', config: { extra_config } };
  const bot = {
    node_id: 'bot',
    component_type: 'trigger_chat_bot',
    config: { credential_id: credentialId, extra_config: config },
  };
  for (const node of [say, bot]) expect((await api.post(`${path}nodes/`, node)).status).toBe(201);
  expect((await api.post(`${path}edges/`, { source_node_id: 'bot', target_node_id: 'say' })).status).toBe(201);
}

const hasWebhook = (address: string | null = url()) =>
  vi.waitFor(() => expect(platform.webhookOf(token)).toBe(address), { timeout: 5000 });

const answers = (...texts: readonly string[]) =>
  vi.waitFor(() => expect(platform.sentBy(token).map(({ text }) => text)).toEqual(texts), { timeout: 5000 });

/** A request as the platform sends it, with the secret that it got. */
function deliver(body: unknown, secret = secretOf(), address = url()) {
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
  return fetch(address, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

function secretOf(): string {
  const call = platform.calls.findLast((each) => each.method === 'setWebhook' && each.token === token);
  return String(call?.parameters.secret_token);
}

const message = { message_id: 1, date: 0, from: { id: 42 }, chat: { id: 42, type: 'private' } };

test('the platform sends messages to the service, which asks for none', async () => {
  await addTrigger();
  await hasWebhook();
  expect(secretOf()).toMatch(/^[\w-]{43}$/);
  platform.say(token, { text: 'One' });
  platform.say(token, { text: 'Two' });
  await answers('You wrote: One', 'You wrote: Two');
  expect(platform.waiting(token)).toBe(0);
  expect(platform.calls.map(({ method }) => method)).not.toContain('getUpdates');
});

test('an update that is sent again starts nothing', async () => {
  await addTrigger();
  await hasWebhook();
  const update = { update_id: 5, message: { ...message, text: 'Once' } };
  for (let count = 0; count < 3; count += 1) expect((await deliver(update)).status).toBe(200);
  // An earlier one that arrives late is new.
  expect((await deliver({ update_id: 4, message: { ...message, text: 'Late' } })).status).toBe(200);
  await vi.waitFor(() => expect(platform.sentBy(token)).toHaveLength(2));
  const { body } = await api.get('/api/v1/executions/?workflow_slug=bot');
  expect(body).toMatchObject({ total: 2 });
});

test('only the platform can send updates', async () => {
  await addTrigger();
  await hasWebhook();
  const update = { update_id: 5, message: { ...message, text: 'Hello' } };
  const secret = secretOf();
  for (const wrong of ['', 'wrong', secret.slice(1)]) expect((await deliver(update, wrong)).status).toBe(401);
  expect((await deliver(update, secret, url().replace(String(bots), '1'))).status).toBe(401);
  expect((await deliver('{', 'wrong')).status).toBe(401);
  for (const body of ['{', '', '[]', '{}', '{"update_id": "5"}'])
    expect([body, (await deliver(body)).status]).toEqual([body, 400]);
  expect((await deliver(`"${'x'.repeat(300_000)}"`)).status).toBe(413);
  // Another event than a message.
  expect((await deliver({ update_id: 6, poll: {} })).status).toBe(200);
  const { body } = await api.get('/api/v1/executions/?workflow_slug=bot');
  expect(body).toMatchObject({ total: 0 });
});

test('messages wait at the platform while no trigger is active', async () => {
  await addTrigger();
  await hasWebhook();
  await api.patch(path, { is_active: false });
  await vi.waitFor(async () => expect((await deliver({ update_id: 1 })).status).toBe(401));
  platform.say(token, { text: 'Later' });
  await api.patch(path, { is_active: true });
  await answers('You wrote: Later');
});

test('a bot that asks for messages again removes the webhook of the service, and no other', async () => {
  await addTrigger();
  await hasWebhook();
  const change = (mode: string) =>
    api.patch(`${path}nodes/bot/`, { config: { credential_id: credentialId, extra_config: { mode } } });
  await change('polling');
  await vi.waitFor(() => expect(platform.isPolled(token)).toBe(true), { timeout: 5000 });
  platform.say(token, { text: 'Polled' });
  await answers('You wrote: Polled');
  await change('webhook');
  await hasWebhook();
  platform.redirect(token, 'http://127.0.0.1:9/other');
  await change('polling');
  await vi.waitFor(async () => expect((await api.post(`${path}validate/`)).text).toContain('webhook is active'));
  expect(platform.webhookOf(token)).toBe('http://127.0.0.1:9/other');
});

test('the secret follows the token of the credential', async () => {
  await addTrigger();
  await hasWebhook();
  const before = secretOf();
  token = `${bots}:another-token`;
  await api.patch(`/api/v1/credentials/${credentialId}/`, { detail: { bot_token: token } });
  await hasWebhook();
  expect(secretOf()).not.toBe(before);
  expect((await deliver({ update_id: 1 }, before)).status).toBe(401);
});

test('a platform that rejects the address is a warning of the validation', async () => {
  platform.rejectAll('setWebhook', 400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook');
  await addTrigger();
  await vi.waitFor(async () => expect((await api.post(`${path}validate/`)).text).toContain('An HTTPS URL'));
});
