import { credential } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import type { InjectOptions } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Api, apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const token = 'a token that I chose';

let running: Running;
let member: Person;
let stranger: Api;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member', 'full', true);
  stranger = apiOf(running.app, null);
});

async function addCredential(credential_type: string, detail: object): Promise<number> {
  const body = { name: 'hook', credential_type, detail };
  return credential.parse((await member.post('/api/v1/credentials/', body)).body).id;
}

function addHook(config: JsonObject, credential_id: number | null = null) {
  const start = ['trigger_webhook', config, { credential_id }] as const;
  return running.addWorkflow(member.user, 'hook', { nodes: { start } });
}

function call(api: Api, options: Partial<InjectOptions> = {}): Promise<Answer> {
  return api.inject({ method: 'POST', url: path, ...options });
}

/** Everything that a caller can observe of an answer. */
function bytes({ status, headers, text }: Answer): object {
  const { date: _date, ...others } = headers;
  return { status, headers: others, text };
}

async function rejection(): Promise<object> {
  return bytes(await call(stranger, { url: '/api/v1/webhooks/missing' }));
}

describe('the method of a webhook', () => {
  it.each([
    [undefined, ['POST']],
    [['GET'], ['GET']],
    [
      ['PUT', 'PATCH'],
      ['PUT', 'PATCH'],
    ],
    [[...methods], [...methods]],
  ])("is one of those in the trigger's config: %j", async (named, allowed) => {
    await addHook(named === undefined ? {} : { methods: named });
    for (const method of methods) {
      expect((await call(stranger, { method })).status).toBe(401);
      const answer = await call(member, { method });
      if (allowed.includes(method)) expect(answer.status).toBe(200);
      else {
        expect(answer).toMatchObject({
          status: 405,
          headers: { allow: allowed.join(', ') },
          body: { detail: `This webhook does not accept ${method}: it accepts ${allowed.join(', ')}.` },
        });
      }
    }
  });

  it('is checked after the workflow', async () => {
    expect((await call(member, { method: 'GET' })).status).toBe(404);
  });

  it.each<[string[], number]>([
    [['GET', 'PUT'], 200],
    [['POST'], 200],
    [['PUT', 'PATCH', 'DELETE'], 405],
  ])('may be HEAD for a trigger with the methods %j, and starts nothing', async (allowed, status) => {
    await addHook({ methods: allowed });
    const key = { authorization: `Bearer ${member.key}` };
    const head = async (url: string, headers = {}) =>
      (await running.app.inject({ method: 'HEAD', url, headers })).statusCode;
    expect([await head(path), await head(path, key), await head('/api/v1/webhooks/missing', key)]).toEqual([
      401,
      status,
      404,
    ]);
    expect(await running.store.executions.openCount()).toBe(0);
  });

  it.each(['GET', 'DELETE'] as const)('%s passes its query to the run', async (method) => {
    await addHook({ methods: [method] });
    const answer = await call(member, { method, url: `${path}?page=2` });
    const { execution_id: id } = answer.body as { execution_id: string };
    expect((await running.store.executions.detail(id))?.trigger).toMatchObject({ payload: {}, query: { page: '2' } });
  });

  it.each(['PUT', 'PATCH', 'DELETE'] as const)('%s has a body', async (method) => {
    await addHook({ methods: [method] });
    const headers = { 'content-type': 'application/json' };
    const answer = await call(member, { method, headers, payload: '{"n":1}' });
    const { execution_id: id } = answer.body as { execution_id: string };
    expect((await running.store.executions.detail(id))?.trigger.payload).toEqual({ n: 1 });
  });
});

describe('a webhook with the auth none', () => {
  it('accepts requests without a key', async () => {
    await addHook({ auth: 'none' });
    expect((await call(stranger, { payload: '{"n":1}' })).status).toBe(200);
    // Some senders sign or send a password even if it is not checked.
    expect((await call(stranger, { headers: { 'stripe-signature': 't=1,v1=a' } })).status).toBe(200);
    expect((await call(stranger, { headers: { authorization: 'Basic YTpi' } })).status).toBe(200);
    expect((await call(member)).status).toBe(200);
  });

  it('rejects a wrong key', async () => {
    await addHook({ auth: 'none' });
    expect((await call(stranger, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  });

  it('and a signature accepts only signed requests', async () => {
    const id = await addCredential('git', { webhook_secret: token });
    await addHook({ auth: 'none', signature: 'git_host_b' }, id);
    expect(bytes(await call(stranger))).toEqual(await rejection());
    expect(bytes(await call(stranger, { headers: { 'x-gitlab-token': 'wrong' } }))).toEqual(await rejection());
    expect((await call(stranger, { headers: { 'x-gitlab-token': token } })).status).toBe(200);
  });

  it('does not reveal to a stranger without access why a run failed', async () => {
    running.runner.start();
    await running.addWorkflow(member.user, 'hook', {
      nodes: { start: ['trigger_webhook', { auth: 'none', response_mode: 'last_node' }], end: 'fail' },
      edges: 'start -> end',
    });
    expect(await call(stranger)).toMatchObject({ status: 500, body: { detail: 'The workflow execution failed.' } });
  });
});

describe('a webhook with the auth basic', () => {
  const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  const config = { scheme: 'basic', username: 'jané', password: 'a:b ü' };

  it('accepts the user name and password of its credential, or a key', async () => {
    await addHook({ auth: 'basic' }, await addCredential('tool', { config }));
    expect((await call(stranger, { headers: basic('jané:a:b ü') })).status).toBe(200);
    expect((await call(member)).status).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['another password', basic('jané:a:b')],
    ['another user name', basic('jane:a:b ü')],
    ['a password alone', basic('a:b ü')],
    ['invalid base64', { authorization: 'Basic ä' }],
    ['another scheme', { authorization: 'Digest x' }],
  ])('rejects %s with the message for a missing key', async (_what, headers) => {
    await addHook({ auth: 'basic' }, await addCredential('tool', { config }));
    expect(bytes(await call(stranger, { headers }))).toEqual(await rejection());
  });

  it.each<[string, () => Promise<number | null>]>([
    ['none', async () => null],
    ['a deleted one', async () => 999],
    ['one of another type', () => addCredential('git', { webhook_secret: 'a:b' })],
    ['one of another scheme', () => addCredential('tool', { config: { ...config, scheme: 'bearer' } })],
    ['one without a password', () => addCredential('tool', { config: { ...config, password: '' } })],
  ])('accepts nothing if its credential is %s', async (_what, add) => {
    await addHook({ auth: 'basic' }, await add());
    for (const pair of ['jané:a:b ü', 'jané:', ':', 'a:b']) {
      expect(bytes(await call(stranger, { headers: basic(pair) }))).toEqual(await rejection());
    }
  });

  it('counts wrong passwords as wrong keys', async () => {
    await addHook({ auth: 'basic' }, await addCredential('tool', { config }));
    for (let times = 0; times < 20; times += 1)
      expect((await call(stranger, { headers: basic('a:b') })).status).toBe(401);
    expect(await call(stranger, { headers: basic('a:b') })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect((await call(stranger, { headers: basic('jané:a:b ü') })).status).toBe(200);
  });
});

describe('a webhook with the challenge meta', () => {
  const handshake = (given: string, more = '') =>
    `${path}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${encodeURIComponent(given)}${more}`;
  beforeEach(async () => {
    const id = await addCredential('git', { webhook_secret: token });
    await addHook({ challenge: 'meta', signature: 'git_host_a' }, id);
  });

  it('returns the challenge to a caller with the right token, and starts nothing', async () => {
    const answer = await call(stranger, { method: 'GET', url: handshake(token) });
    expect(answer).toMatchObject({ status: 200, text: '1158201444' });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(await running.store.executions.openCount()).toBe(0);
  });

  it('rejects any other token', async () => {
    expect(bytes(await call(stranger, { method: 'GET', url: handshake('wrong') }))).toEqual(await rejection());
    expect(bytes(await call(stranger, { method: 'GET', url: handshake('') }))).toEqual(await rejection());
    await addOpen();
    expect((await call(stranger, { method: 'GET', url: handshake('wrong').replace('/hook', '/open') })).status).toBe(
      401,
    );
  });

  it('accepts the token only for the challenge', async () => {
    expect((await call(stranger, { url: handshake(token) })).status).toBe(401);
    expect((await call(stranger, { method: 'GET', url: handshake(token).replace('hub.mode', 'mode') })).status).toBe(
      401,
    );
  });

  async function addOpen(): Promise<void> {
    const id = await addCredential('git', { webhook_secret: token });
    const start = [
      'trigger_webhook',
      { challenge: 'meta', auth: 'none', methods: ['GET'] },
      { credential_id: id },
    ] as const;
    await running.addWorkflow(member.user, 'open', { nodes: { start } });
  }
});

describe('a webhook with the challenge slack', () => {
  const verification = { type: 'url_verification', token: 'legacy', challenge: '3eZbrw1aB<b>' };

  it('returns the challenge, and starts nothing', async () => {
    await addHook({ challenge: 'slack' });
    const answer = await member.post(path, verification);
    expect([answer.status, answer.text]).toEqual([200, verification.challenge]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(await running.store.executions.openCount()).toBe(0);
  });

  it('starts a run for every other message', async () => {
    await addHook({ challenge: 'slack' });
    for (const message of [{ type: 'event_callback' }, { ...verification, challenge: 1 }, [], 'text']) {
      expect((await member.post(path, message)).body).toMatchObject({ status: 'accepted' });
    }
  });

  it('returns it only to callers who may start the workflow, and only if configured', async () => {
    await addHook({ challenge: 'slack' });
    expect((await stranger.post(path, verification)).status).toBe(401);
    await running.addWorkflow(member.user, 'other', { nodes: { start: 'trigger_webhook' } });
    expect((await member.post('/api/v1/webhooks/other', verification)).body).toMatchObject({ status: 'accepted' });
  });
});
