import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, GrammyError, webhookCallback } from 'grammy';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { FakeBotApi } from '../support/fake-bot-api.ts';

/**
 * Our own tests of bots use a fake of the platform. Here a library that many bots use on the real one works with it, so
 * that the fake does not only suit our client.
 */
let platform: FakeBotApi;
beforeAll(async () => {
  platform = await FakeBotApi.start();
});
afterAll(() => platform.close());

const token = '77:a-token-of-a-bot';

/** A bot that repeats what it receives. */
function newBot(): Bot {
  platform.forget();
  const bot = new Bot(token, { client: { apiRoot: platform.url } });
  bot.command('start', (context) => context.reply(`Welcome, ${context.from?.first_name}`));
  bot.on('message:text', (context) => context.reply(`${context.chat.type} ${context.message.text}`));
  return bot;
}

const answers = (...texts: readonly string[]) =>
  vi.waitFor(() => expect(platform.sentBy(token).map(({ text }) => text)).toEqual(texts), { timeout: 5000 });

test('a bot that asks for messages gets each of them once, and confirms them', async () => {
  const bot = newBot();
  platform.say(token, { text: 'Before' });
  const running = bot.start();
  await answers('private Before');
  platform.say(token, { text: '/start' });
  platform.say(token, { text: 'Group', chat: -5, type: 'group' });
  await answers('private Before', 'Welcome, Ann', 'group Group');
  expect(bot.botInfo).toMatchObject({ is_bot: true, username: 'a_bot' });
  await bot.stop();
  await running;
  expect(platform.waiting(token)).toBe(0);
});

test('a second receiver of a bot ends the first one', async () => {
  const first = newBot();
  const ended = first.start();
  await vi.waitFor(() => expect(platform.isPolled(token)).toBe(true));
  const second = new Bot(token, { client: { apiRoot: platform.url } });
  const running = second.start();
  const error = await ended.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(GrammyError);
  expect(error).toMatchObject({ error_code: 409, method: 'getUpdates' });
  await second.stop();
  await running;
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a bot with a webhook gets messages with its secret, and no others', async () => {
  const bot = newBot();
  const secret = 'a-secret_of-the-bot';
  const url = await listening(webhookCallback(bot, 'http', { secretToken: secret }));
  await bot.api.setWebhook(url, { secret_token: secret, max_connections: 4, allowed_updates: ['message'] });
  platform.say(token, { text: 'Pushed' });
  await answers('private Pushed');
  expect(await bot.api.getWebhookInfo()).toMatchObject({ url, pending_update_count: 0 });
  await expect(bot.api.getUpdates()).rejects.toMatchObject({ error_code: 409 });
  await bot.api.setWebhook(url, { secret_token: 'another' });
  platform.say(token, { text: 'Rejected' });
  await vi.waitFor(async () => {
    expect(await bot.api.getWebhookInfo()).toMatchObject({ last_error_message: expect.stringContaining('401') });
  });
  await bot.api.deleteWebhook();
  expect(await bot.api.getUpdates()).toMatchObject([{ message: { text: 'Rejected' } }]);
});

test('a rejection has its code, its reason and the time to wait', async () => {
  const bot = newBot();
  platform.reject('sendMessage', 429, 'Too Many Requests: retry after 7', { retry_after: 7 });
  platform.reject('sendMessage', 403, 'Forbidden: bot was blocked by the user');
  await expect(bot.api.sendMessage(42, 'Hello')).rejects.toMatchObject({
    error_code: 429,
    parameters: { retry_after: 7 },
  });
  await expect(bot.api.sendMessage(42, 'Hello')).rejects.toMatchObject({
    description: 'Forbidden: bot was blocked by the user',
  });
  const sent = await bot.api.sendMessage(42, '<b>Hello</b>', { parse_mode: 'HTML' });
  expect(sent).toMatchObject({ message_id: expect.any(Number), chat: { id: 42, type: 'private' } });
});
