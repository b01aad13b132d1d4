import { expect, onTestFinished, test, vi } from 'vitest';
import { Canary, contextsOf } from '../support/canary.ts';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { Installation } from '../support/installation.ts';

test('no answer of the API, no line of the log and no file has the token of a bot', async () => {
  const platform = await FakeBotApi.start();
  onTestFinished(() => platform.close());
  const installation = await Installation.start({ botApi: platform.url });
  const { api } = installation;
  const canary = new Canary('bot');
  const token = `123456:${canary.secret.replace(/[^A-Za-z0-9_-]/g, '')}`;
  const body = { name: 'Bot', credential_type: 'chat_bot', detail: { bot_token: token, allowed_user_ids: '*' } };
  const { id } = (await api.post('/api/v1/credentials/', body)).body as { id: number };
  const isPolled = () => vi.waitFor(() => expect(platform.isPolled(token)).toBe(true), { timeout: 5000 });

  // The platform repeats the token in what it rejects.
  for (const method of ['getMe', 'getUpdates']) platform.reject(method, 401, `Unauthorized: bot${token}`);
  const yaml = `name: Echo
slug: echo
nodes:
  - {id: bot, type: trigger_chat_bot, credential: Bot}
  - {id: send, type: send_message, credential: Bot, chat_id: 1, policies: {on_error: continue, retry: {max_attempts: 1}}}
  - {id: say, type: template, template: Sent}
edges: [bot -> send, send -> say]
`;
  const imported = await api.post('/api/v1/workflows/import/', { yaml_str: yaml });
  expect([imported.status, imported.text]).toEqual([201, imported.text]);
  await vi.waitFor(async () => {
    const { text } = await api.post('/api/v1/workflows/echo/validate/');
    expect(text).toContain('Unauthorized');
  });
  await isPolled();
  for (const code of [400, 500]) platform.reject('sendMessage', code, `Failed for /bot${encodeURIComponent(token)}/`);
  platform.say(token, { text: 'Hello' });
  await vi.waitFor(() => expect(platform.sentBy(token).length).toBeGreaterThanOrEqual(3), { timeout: 5000 });
  const { items } = (await api.get('/api/v1/executions/')).body as { items: readonly { execution_id: string }[] };
  for (const { execution_id: run } of items) await api.get(`/api/v1/executions/${run}/`);
  await api.get(`/api/v1/credentials/${id}/`);
  await api.get('/api/v1/workflows/echo/export/');

  const texts = [...installation.answers, ...installation.log].map((text) => Buffer.from(text));
  for (const words of ['Unauthorized', 'Failed for']) expect(texts.some((text) => text.includes(words))).toBe(true);
  expect(contextsOf([canary], [...texts, ...installation.files()])).toEqual([]);
});
