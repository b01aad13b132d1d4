import { credential, executionDetail } from '@millrace/contract';
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { freePort } from '../support/free-port.ts';
import { hurried, WholeApp } from '../support/whole-app.ts';

const token = '88:a-token-of-a-bot';
const path = '/api/v1/workflows/bot/';

/** A server that was written to test bots of other authors. It has no offsets, long polls or secrets of webhooks. */
async function startPlatform(): Promise<TelegramServer> {
  const server = new TelegramServer({ host: '127.0.0.1', port: await freePort() });
  await server.start();
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

async function startApp(botApi: string): Promise<WholeApp> {
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  const app = await WholeApp.start(hurried, { host: '127.0.0.1', outbound, botApi });
  onTestFinished(() => app.close());
  return app;
}

test('a workflow receives the messages of a user of this server, and answers them', async () => {
  const platform = await startPlatform();
  const app = await startApp(platform.config.apiURL);
  const api = await app.member('owner');
  const detail = { bot_token: token, allowed_user_ids: '1' };
  const body = { name: 'Bot', credential_type: 'chat_bot', detail };
  const { id } = credential.parse((await api.post('/api/v1/credentials/', body)).body);
  await api.post('/api/v1/workflows/', { name: 'Bot', slug: 'bot' });
  const template = '{{ trigger.payload.name }} wrote {{ trigger.text }} to **{{ trigger.payload.chat_id }}**';
  const nodes = [
    { node_id: 'bot', component_type: 'trigger_chat_bot', config: { credential_id: id } },
    { node_id: 'say', component_type: 'template', config: { extra_config: { template } } },
  ];
  for (const node of nodes) expect((await api.post(`${path}nodes/`, node)).status).toBe(201);
  await api.post(`${path}edges/`, { source_node_id: 'bot', target_node_id: 'say' });
  const client = platform.getClient(token, { timeout: 20_000 });
  for (const message of [client.makeMessage('Hello'), client.makeCommand('/order 7')]) {
    await ('entities' in message ? client.sendCommand(message) : client.sendMessage(message));
    const { result } = await client.getUpdates();
    expect(result).toMatchObject([
      { message: { chat_id: '1', text: `TestName wrote ${message.text} to <b>1</b>`, parse_mode: 'HTML' } },
    ]);
  }
  // Another user is not admitted.
  const stranger = platform.getClient(token, { userId: 2, chatId: 2 });
  await stranger.sendMessage(stranger.makeMessage('Me, too'));
  await vi.waitFor(() => expect(platform.getUpdates(token)).toEqual([]));
  const { items } = (await api.get('/api/v1/executions/?workflow_slug=bot')).body as {
    items: { execution_id: string }[];
  };
  expect(items).toHaveLength(2);
  const run = executionDetail.parse((await api.get(`/api/v1/executions/${items[0]?.execution_id}/`)).body);
  expect(run.logs[0]?.output).toMatchObject({
    payload: { command: 'order', arguments: '7', username: 'testUserName' },
  });
  expect(app.errors).toEqual([]);
});
