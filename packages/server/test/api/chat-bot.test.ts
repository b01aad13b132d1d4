import { credential, executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Timers } from '../../src/ground/clock.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { LoopWatch } from '../stalls/loop-watch.ts';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { hurried, type Member, WholeApp } from '../support/whole-app.ts';

const workflows = '/api/v1/workflows/';
const ann = 42;

/** The delays that were asked for, in milliseconds. */
const delays: number[] = [];
const observed: Timers = {
  ...hurried,
  after(ms, fn) {
    delays.push(ms);
    return hurried.after(ms, fn);
  },
};

let platform: FakeBotApi;
let app: WholeApp;
let api: Member;
beforeAll(async () => {
  platform = await FakeBotApi.start();
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  app = await WholeApp.start(observed, { host: '127.0.0.1', outbound, botApi: platform.url });
  api = await app.member('owner');
});
afterAll(async () => {
  await app.close();
  await platform.close();
});

async function send(method: 'post' | 'patch' | 'put', path: string, body: object, status: number): Promise<unknown> {
  const answer = await api[method](path, body);
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  return answer.body;
}

let numbers = 100;

/** A bot of its own for a test, whose credential and workflows are removed after it. */
class Scene {
  readonly token: string;
  readonly credentialId: number;
  readonly slugs: string[] = [];

  private constructor(token: string, credentialId: number) {
    this.token = token;
    this.credentialId = credentialId;
  }

  static async start(allowed = '*'): Promise<Scene> {
    platform.forget();
    numbers += 1;
    const token = `${numbers}:a-token-of-a-bot`;
    const detail = { bot_token: token, allowed_user_ids: allowed };
    const body = { name: `Bot ${numbers}`, credential_type: 'chat_bot', detail };
    const { id } = credential.parse(await send('post', '/api/v1/credentials/', body, 201));
    const scene = new Scene(token, id);
    onTestFinished(async () => {
      for (const slug of scene.slugs) await api.delete(`${workflows}${slug}/`);
      await scene.polls(false);
    });
    return scene;
  }

  /** A workflow that answers with a template. */
  async add(config: object = {}, { answer = 'You wrote: {{ trigger.text }}', ...common } = {}): Promise<string> {
    numbers += 1;
    const slug = `bot-${numbers}`;
    this.slugs.push(slug);
    await send('post', workflows, { name: slug, slug }, 201);
    const path = `${workflows}${slug}/`;
    const nodes = [
      { node_id: 'say', component_type: 'template', config: { extra_config: { template: answer } } },
      {
        node_id: 'bot',
        component_type: 'trigger_chat_bot',
        config: { credential_id: this.credentialId, extra_config: config, ...common },
      },
    ];
    for (const node of nodes) await send('post', `${path}nodes/`, node, 201);
    await send('post', `${path}edges/`, { source_node_id: 'bot', target_node_id: 'say' }, 201);
    return slug;
  }

  /** Resolves when the service waits for the messages of the bot, or no longer does. */
  async polls(is = true): Promise<void> {
    await vi.waitFor(() => expect(platform.isPolled(this.token)).toBe(is), { timeout: 5000 });
  }

  say(text: string, from = ann, more: object = {}): number {
    return platform.say(this.token, { text, from, ...more });
  }

  get sent() {
    return platform.sentBy(this.token);
  }
}

/** The executions of a workflow, oldest first, when there are so many and all have ended. */
async function endedRuns(slug: string, count: number): Promise<ReturnType<typeof executionDetail.parse>[]> {
  const ids = await vi.waitFor(async () => {
    const { body } = await api.get(`/api/v1/executions/?workflow_slug=${slug}`);
    const { items } = body as { items: { execution_id: string; status: string }[] };
    expect(items.map(({ status }) => status)).toEqual(Array(count).fill('completed'));
    return items.map(({ execution_id: id }) => id).reverse();
  });
  return Promise.all(ids.map(async (id) => executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body)));
}

describe('a message to a bot', () => {
  test('starts the workflow, and the answer is a reply in the chat', async () => {
    const bot = await Scene.start();
    const slug = await bot.add({}, { answer: '**{{ trigger.payload.name }}** in {{ trigger.payload.chat_id }}' });
    await bot.polls();
    bot.say('Hello');
    const [run] = await endedRuns(slug, 1);
    expect(run?.logs.find(({ node_id }) => node_id === 'bot')?.output).toMatchObject({
      text: 'Hello',
      chat_id: '42',
      user_id: '42',
      files: [],
      payload: { name: 'Ann', chat_type: 'private', command: null },
    });
    await vi.waitFor(() => expect(bot.sent).toHaveLength(1));
    expect(bot.sent).toMatchObject([
      { chat_id: '42', text: '<b>Ann</b> in 42', parse_mode: 'HTML', reply_parameters: { message_id: 1 } },
    ]);
  });

  test('is not answered with `reply: false`, or if the output is not text', async () => {
    const bot = await Scene.start();
    const silent = await bot.add({ reply: false, command: 'silent' });
    const slug = await bot.add();
    await api.patch(`${workflows}${slug}/nodes/say/`, { component_type: 'template' });
    await bot.polls();
    bot.say('/silent');
    await endedRuns(silent, 1);
    bot.say('Hello');
    await vi.waitFor(() => expect(bot.sent).toMatchObject([{ text: 'You wrote: Hello' }]));
  });

  test('has the chat as its session, so the conversation is in the history', async () => {
    const bot = await Scene.start();
    const slug = await bot.add();
    await bot.polls();
    bot.say('One');
    await endedRuns(slug, 1);
    bot.say('Two');
    await endedRuns(slug, 2);
    const { body } = await api.get(`${workflows}${slug}/chat/history/?session_id=42`);
    const { items } = body as { items: object[] };
    expect(items).toMatchObject([
      { text: 'Two', answer: 'You wrote: Two' },
      { text: 'One', answer: 'You wrote: One' },
    ]);
  });

  test.each([
    ['', 0],
    ['7, 43', 0],
    ['7, 42', 1],
    ['*', 1],
  ])('with the allowed users %j starts %d executions', async (allowed, count) => {
    const bot = await Scene.start(allowed);
    const slug = await bot.add();
    await bot.polls();
    bot.say('Hello');
    await vi.waitFor(() => expect(platform.waiting(bot.token)).toBe(0));
    await bot.polls();
    await endedRuns(slug, count);
  });

  test('starts the matching trigger with the highest priority, in whatever workflow it is', async () => {
    const bot = await Scene.start();
    const rest = await bot.add();
    const start = await bot.add({ command: '/start' });
    const order = await bot.add({ pattern: '(?i)^order \\d+$' });
    const first = await bot.add({ pattern: 'first' }, { priority: 5 } as object);
    const group = await bot.add({ chat_types: ['group'] });
    await bot.polls();
    for (const text of ['/start now', '/started', 'Order 7', 'order first 7', 'first']) bot.say(text);
    bot.say('/start@other_bot', ann, { chat: -5, type: 'group' });
    const texts = async (slug: string, count: number) =>
      // Those of the same millisecond have no order.
      (await endedRuns(slug, count)).map(({ logs }) => (logs[0]?.output as { text: string }).text).sort();
    expect(await texts(start, 1)).toEqual(['/start now']);
    expect(await texts(rest, 1)).toEqual(['/started']);
    expect(await texts(order, 1)).toEqual(['Order 7']);
    expect(await texts(first, 2)).toEqual(['first', 'order first 7']);
    expect(await texts(group, 1)).toEqual(['/start@other_bot']);
  });
});

describe('the poller of a bot', () => {
  test('runs while a published or live workflow has an active trigger', async () => {
    const bot = await Scene.start();
    const slug = await bot.add();
    const path = `${workflows}${slug}/`;
    await bot.polls();
    await send('patch', path, { is_active: false }, 200);
    await bot.polls(false);
    await send('patch', path, { is_active: true }, 200);
    await bot.polls();
    await send('patch', `${path}nodes/bot/`, { config: { credential_id: bot.credentialId, is_active: false } }, 200);
    await bot.polls(false);
    await send('patch', `${path}nodes/bot/`, { config: { credential_id: bot.credentialId, is_active: true } }, 200);
    await bot.polls();
    await send('post', `${path}publish/`, {}, 200);
    await api.delete(`${path}nodes/bot/`);
    await bot.polls();
    await api.delete(path);
    await bot.polls(false);
  });

  test('follows the token of the credential', async () => {
    const bot = await Scene.start();
    await bot.add();
    await bot.polls();
    const other = `${bot.token.replace(':', '9:')}-2`;
    const path = `/api/v1/credentials/${bot.credentialId}/`;
    await send('patch', path, { detail: { bot_token: other } }, 200);
    await bot.polls(false);
    await vi.waitFor(() => expect(platform.isPolled(other)).toBe(true));
    await api.delete(path);
    await vi.waitFor(() => expect(platform.isPolled(other)).toBe(false));
  });

  test.each([
    [401, 'Unauthorized', 'Check the bot_token'],
    [409, 'Conflict: terminated by other getUpdates request', 'Another program receives'],
  ])('reports a rejection with %d as a warning of the validation until it has ended', async (code, words, remedy) => {
    const bot = await Scene.start();
    platform.rejectAll('getUpdates', code, words);
    const slug = await bot.add();
    const issues = async () => {
      const { body } = await api.post(`${workflows}${slug}/validate/`);
      return (body as { issues: { code: string; field: string; message: string }[] }).issues;
    };
    await vi.waitFor(async () => {
      expect(await issues()).toMatchObject([
        { code: 'unusable_credential', field: 'credential_id', message: expect.stringContaining(words) },
      ]);
    });
    expect(JSON.stringify(await issues())).toContain(remedy);
    platform.forget();
    await vi.waitFor(async () => expect(await issues()).toEqual([]), { timeout: 5000 });
  });

  test('expects no certain number of a message after a week without one', async () => {
    const bot = await Scene.start();
    const [botId = ''] = bot.token.split(':');
    // The number of the next message is lower.
    const at = Date.now() - 7 * 24 * 3_600_000;
    await app.store.bots.receive({ botId, from: 0, next: 900_000_000, runs: [], at });
    const slug = await bot.add();
    await bot.polls();
    for (const text of ['One', 'Two']) {
      bot.say(text);
      await vi.waitFor(() => expect(platform.waiting(bot.token)).toBe(0));
    }
    await endedRuns(slug, 2);
  });

  test('starts when the credential gets a token that can be used', async () => {
    const bot = await Scene.start();
    const path = `/api/v1/credentials/${bot.credentialId}/`;
    await send('patch', path, { detail: { bot_token: '' } }, 200);
    const slug = await bot.add();
    const problems = async () => (await api.post(`${workflows}${slug}/validate/`)).text;
    await vi.waitFor(async () => expect(await problems()).toContain('no token that can be used'));
    await send('patch', path, { detail: { bot_token: bot.token } }, 200);
    await bot.polls();
    await vi.waitFor(async () => expect(await problems()).not.toContain('token'));
  });

  test('of a bot that admits nobody runs, and the validation warns', async () => {
    const bot = await Scene.start(' , ');
    const slug = await bot.add();
    const { body } = await api.post(`${workflows}${slug}/validate/`);
    expect(body).toMatchObject({
      issues: [{ code: 'unusable_credential', message: expect.stringContaining('admits nobody') }],
    });
  });
});

describe('an answer', () => {
  test('is sent again after a rejection that may end, and not after another one', async () => {
    const bot = await Scene.start();
    await bot.add();
    await bot.polls();
    platform.reject('sendMessage', 429, 'Too Many Requests', { retry_after: 0 });
    platform.reject('sendMessage', 500, 'Internal Server Error');
    bot.say('Hello');
    await vi.waitFor(() => expect(bot.sent).toHaveLength(3), { timeout: 5000 });
    platform.forget();
    platform.reject('sendMessage', 403, 'Forbidden: bot was blocked by the user');
    bot.say('One');
    await vi.waitFor(() => expect(bot.sent).toHaveLength(1));
    bot.say('Two');
    await vi.waitFor(() => expect(bot.sent).toMatchObject([{ text: 'You wrote: One' }, { text: 'You wrote: Two' }]));
  });
});

describe('a platform that does not keep to its protocol', () => {
  const update = (id: number) => ({
    update_id: id,
    message: {
      message_id: id,
      date: 1,
      chat: { id: ann, type: 'private' },
      from: { id: ann, first_name: 'Ann' },
      text: 'hi',
    },
  });
  const answer = (result: unknown) => JSON.stringify({ ok: true, result });
  const offsets = (token: string) =>
    platform.calls
      .filter((call) => call.method === 'getUpdates' && call.token === token)
      .map(({ parameters }) => parameters.offset);

  test('and sends 60,000 messages at once: the first 50 are received, and nobody waits', async () => {
    const bot = await Scene.start();
    const slug = await bot.add({ reply: false });
    await bot.polls();
    const updates = Array.from({ length: 60_000 }, (_, index) => update(2_000 + index));
    platform.flood(bot.token, [answer(updates)]);
    const watch = new LoopWatch();
    watch.start();
    bot.say('Hello');
    await vi.waitFor(() => expect(offsets(bot.token)).toContain(2_050), { timeout: 10_000 });
    watch.stop();
    expect(watch.longestMs).toBeLessThan(250);
    const { body } = await api.get(`/api/v1/executions/?workflow_slug=${slug}`);
    expect(body).toMatchObject({ total: 51 });
  });

  test.each([
    ['no messages', answer([])],
    ['old messages', answer([update(5)])],
  ])('and answers at once with %s is asked once a second', async (_about, text) => {
    const bot = await Scene.start();
    await bot.add();
    await bot.polls();
    platform.flood(bot.token, [text, text, text]);
    delays.length = 0;
    const next = bot.say('Hello') + 1;
    await vi.waitFor(() => expect(offsets(bot.token).filter((offset) => offset === next)).toHaveLength(4));
    // The answers take some milliseconds of the second.
    expect(delays.filter((ms) => ms > 500 && ms <= 1_000)).toHaveLength(3);
  });

  test('and sends more values than an answer may have is an error that the validation shows', async () => {
    const bot = await Scene.start();
    const slug = await bot.add();
    await bot.polls();
    const large = `{"ok":true,"result":[${'{},'.repeat(600_000)}{}]}`;
    platform.flood(
      bot.token,
      Array.from({ length: 30 }, () => large),
    );
    bot.say('Hello');
    await vi.waitFor(
      async () => {
        const { text } = await api.post(`${workflows}${slug}/validate/`);
        expect(text).toContain('has more than 500000 lists and objects');
      },
      { timeout: 10_000 },
    );
    platform.flood(bot.token, []);
  });
});
