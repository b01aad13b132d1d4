import { credential, executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import type { Api } from '../support/api.ts';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { WholeApp } from '../support/whole-app.ts';
import { report } from '../workflow-tests/tested-files.ts';

const token = '123456:a-token-of-a-bot';

let platform: FakeBotApi;
let app: WholeApp;
let api: Api;
beforeAll(async () => {
  platform = await FakeBotApi.start();
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  app = await WholeApp.start(undefined, { host: '127.0.0.1', outbound, botApi: platform.url });
  api = await app.member('owner');
});
afterAll(async () => {
  await app.close();
  await platform.close();
});
beforeEach(() => platform.forget());

async function addCredential(type = 'chat_bot', detail: object = { bot_token: token }): Promise<number> {
  const { status, text, body } = await api.post('/api/v1/credentials/', {
    name: 'Bot',
    credential_type: type,
    detail,
  });
  expect([status, text]).toEqual([201, text]);
  return credential.parse(body).id;
}

let slugs = 0;

/** A workflow whose only step sends a message; returns its slug. */
async function addSending(credentialId: number | null, extra: object = { chat_id: 42 }): Promise<string> {
  slugs += 1;
  const slug = `send-${slugs}`;
  await api.post('/api/v1/workflows/', { name: slug, slug });
  await api.post(`/api/v1/workflows/${slug}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  const config = { credential_id: credentialId, extra_config: extra };
  const node = { node_id: 'say', component_type: 'send_message', config };
  const { status, text } = await api.post(`/api/v1/workflows/${slug}/nodes/`, node);
  expect([status, text]).toEqual([201, text]);
  await api.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
  return slug;
}

/** The log entries of the step in one run. */
async function run(slug: string) {
  const started = await api.post(`/api/v1/workflows/${slug}/execute/`, { payload: 'Hello', wait: true });
  const { execution_id: id } = started.body as { execution_id: string };
  const { logs } = executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
  return logs.filter(({ node_id }) => node_id === 'say');
}

describe('a message', () => {
  test('is sent with the token of the credential in the path', async () => {
    const slug = await addSending(await addCredential());
    const [step] = await run(slug);
    expect(step).toMatchObject({ status: 'success', output: { result: { chat_id: '42' } } });
    expect(platform.calls).toEqual([{ token, method: 'sendMessage', parameters: { chat_id: '42', text: 'Hello' } }]);
  });

  test('is repeated when the platform asked the bot to wait, and not after another failure', async () => {
    const slug = await addSending(await addCredential());
    platform.reject('sendMessage', 429, 'Too Many Requests: retry after 0', { retry_after: 0 });
    expect((await run(slug)).map(({ status, error_code: code }) => [status, code])).toEqual([
      ['failed', 'chat_bot_api'],
      ['success', null],
    ]);
    platform.reject('sendMessage', 500, 'Internal Server Error');
    expect(await run(slug)).toMatchObject([{ status: 'failed', error_code: 'chat_bot_api' }]);
    expect(platform.sentBy(token)).toHaveLength(3);
  });

  test('is shown without the token that the platform repeats, in any form', async () => {
    const slug = await addSending(await addCredential(), { chat_id: 42, retry: { max_attempts: 1 } });
    const secret = token.slice(token.indexOf(':') + 1);
    for (const repeated of [token, encodeURIComponent(token), `bot${token}/sendMessage`]) {
      platform.reject('sendMessage', 400, `Bad Request: ${repeated}`);
      const text = JSON.stringify(await run(slug));
      expect(text).toContain('Bad Request: ');
      expect(text).not.toContain(secret);
    }
    expect(app.errors.join()).not.toContain(secret);
  });
});

describe('a bot that cannot be used', () => {
  test.each([
    ['chat_bot', { bot_token: '' }, 'has no bot_token'],
    ['chat_bot', { bot_token: '12/../../x' }, 'characters that no token'],
    ['tool', {}, "not 'chat_bot'"],
  ])('is a credential of type %s with %j', async (type, detail, words) => {
    const slug = await addSending(await addCredential(type, detail));
    expect(await run(slug)).toMatchObject([{ error_code: 'credential_unfit', error: expect.stringContaining(words) }]);
    expect(platform.calls).toEqual([]);
  });

  test('is a deleted one, and none', async () => {
    const id = await addCredential();
    const slug = await addSending(id);
    await api.delete(`/api/v1/credentials/${id}/`);
    expect(await run(slug)).toMatchObject([{ error_code: 'credential_missing' }]);
    expect(await run(await addSending(null))).toMatchObject([{ error_code: 'credential_missing' }]);
    expect(platform.calls).toEqual([]);
  });

  test('is a warning of the validation, as is a missing chat', async () => {
    const slug = await addSending(null, {});
    const { body } = await api.post(`/api/v1/workflows/${slug}/validate/`);
    const { issues } = body as { issues: readonly { code: string; field: string | null; severity: string }[] };
    expect(issues).toMatchObject([
      { code: 'missing_setting', severity: 'error', field: 'extra_config.chat_id' },
      { code: 'missing_setting', severity: 'warning', field: 'credential_id' },
    ]);
  });
});

test('an agent writes the text, and the node has the chat', async () => {
  const workflow = `name: Notifier
trigger: manual
model: {model_name: some-model}
steps:
  - id: assistant
    type: agent
    prompt: Send a message to the team.
    tools: [{id: message, type: send_message, credential: Bot, chat_id: "@team"}]
`;
  const tests = `tests:
  - name: The model sends a message
    text: The server is down.
    models:
      - {node: assistant, calls: [{tool: message, arguments: {text: The server is down!}}]}
      - {node: assistant, answer: The team knows.}
    http:
      - request:
          method: POST
          url: https://api.telegram.org/bot/sendMessage
          body: {chat_id: "@team", text: The server is down!}
        response: {body: {ok: true, result: {message_id: 1}}}
    expect:
      outputs: {assistant: {output: The team knows.}}
`;
  expect(await report(workflow, tests)).toEqual(['  ok    The model sends a message']);
});
