import { createHmac } from 'node:crypto';
import { catalogue } from '@millrace/components';
import { credential, webhookAccepted } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Api, apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/repo';
const secret = 'a secret of the repository';
const push = { ref: 'refs/heads/main', after: '8ad1c2e' };

let running: Running;
let member: Person;
let stranger: Api;
let credentialId: number;
beforeEach(async () => {
  running = await startRunning({ withRunner: false, catalogue });
  member = await running.addPerson('member', 'full', true);
  stranger = apiOf(running.app, null);
  credentialId = await addCredential(secret);
});

async function addCredential(webhook_secret: string, type = 'git'): Promise<number> {
  const detail = type === 'git' ? { webhook_secret } : {};
  const body = { name: 'repo', credential_type: type, detail };
  return credential.parse((await member.post('/api/v1/credentials/', body)).body).id;
}

async function addTrigger(config: JsonObject = {}, id: number | null = credentialId): Promise<void> {
  await running.addWorkflow(member.user, 'repo', { nodes: { pushed: ['trigger_git', config, { credential_id: id }] } });
}

function hmac(text: string, key = secret): string {
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;
}

interface Sent {
  readonly event?: string;
  readonly payload?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly by?: Pick<Api, 'inject'>;
}

/** A delivery of the first host, signed unless the headers say otherwise. */
function send({ event = 'push', payload = push, headers = {}, by = stranger }: Sent = {}): Promise<Answer> {
  const body = JSON.stringify(payload);
  const all = { 'x-github-event': event, 'x-hub-signature-256': hmac(body), ...headers };
  return post(body, all, by);
}

/** A delivery of the second host. */
function sendB(event: string, payload: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return post(JSON.stringify(payload), { 'x-gitlab-event': event, 'x-gitlab-token': secret, ...headers });
}

function post(
  body: string,
  headers: Readonly<Record<string, string | undefined>>,
  by: Pick<Api, 'inject'> = stranger,
): Promise<Answer> {
  const sent = Object.entries({ 'content-type': 'application/json', ...headers }).filter(([, value]) => value);
  return by.inject({ method: 'POST', url: path, payload: body, headers: Object.fromEntries(sent) });
}

async function started(answer: Answer) {
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const detail = await running.store.executions.detail(webhookAccepted.parse(answer.body).execution_id);
  if (detail === null) throw new Error('the run is not stored');
  return detail;
}

function expectIgnored(answer: Answer): void {
  expect(answer).toMatchObject({ status: 200, body: { status: 'ignored' } });
}

async function countRuns(): Promise<number> {
  const { items } = await running.store.executions.list({ visibleTo: member.user.id, limit: 100, offset: 0 });
  return items.length;
}

/** Everything that a caller can observe of an answer. */
function bytes({ status, headers, text }: Answer): object {
  const { date: _date, ...others } = headers;
  return { status, headers: others, text };
}

describe('a signed event', () => {
  it('of the first host starts its git trigger, with the event and the payload', async () => {
    await addTrigger();
    const { triggerNodeId, trigger } = await started(await send());
    expect(triggerNodeId).toBe('pushed');
    expect(trigger).toMatchObject({ payload: push, text: 'push', headers: { 'x-github-event': 'push' } });
    expect(JSON.stringify(trigger)).not.toMatch(/signature|sha256/);
  });

  it('of the second host starts it by its token', async () => {
    await addTrigger({ events: ['merge_request'] });
    const { trigger } = await started(await sendB('Merge Request Hook', { object_kind: 'merge_request' }));
    expect(trigger).toMatchObject({ text: 'merge_request', payload: { object_kind: 'merge_request' } });
    expect(JSON.stringify(trigger)).not.toContain(secret);
  });

  it('in a form is the JSON in its field payload', async () => {
    await addTrigger();
    const body = new URLSearchParams({ payload: JSON.stringify(push) }).toString();
    const headers = { 'x-hub-signature-256': hmac(body), 'content-type': 'application/x-www-form-urlencoded' };
    const { trigger } = await started(await post(body, { 'x-github-event': 'push', ...headers }));
    expect(trigger.payload).toEqual(push);
  });

  it.each([[[1]], ['push'], [null]])('that is no object is rejected: %j', async (payload) => {
    await addTrigger();
    expect((await send({ payload })).status).toBe(400);
  });

  it('needs no key, and is accepted with a key', async () => {
    await addTrigger();
    const first = await started(await send({ headers: { 'x-github-delivery': '1' } }));
    const again = await started(await send({ headers: { 'x-github-delivery': '1' }, by: member }));
    expect(again.id).toBe(first.id);
  });

  it('must match the input schema of the workflow', async () => {
    await addTrigger();
    const input_schema = { type: 'object', required: ['commits'] };
    expect((await member.patch('/api/v1/workflows/repo/', { input_schema })).status).toBe(200);
    expect((await send()).status).toBe(422);
  });
});

describe('by Standard Webhooks the second host', () => {
  // The example of the specification.
  const example = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'x-gitlab-event': 'Push Hook',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  };
  beforeEach(async () => {
    await addTrigger({}, await addCredential(example.secret));
    running.time.setClock(1_614_265_330_000 - running.time.clock.now());
  });

  it('signs its id, the time and the body', async () => {
    const { trigger } = await started(await post(example.body, example.headers));
    expect(trigger.payload).toEqual({ test: 2432232314 });
    expect(JSON.stringify(trigger)).not.toContain('g0hM9SsE');
  });

  it.each([
    ['webhook-id', 'msg_other'],
    ['webhook-timestamp', '1614265331'],
    ['webhook-signature', 'v1,AAAA'],
    ['webhook-signature', 'v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    ['webhook-id', ''],
    ['webhook-timestamp', ''],
  ])('is rejected with another %s: %s', async (name, value) => {
    expect((await post(example.body, { ...example.headers, [name]: value })).status).toBe(401);
    expect(await countRuns()).toBe(0);
  });

  it('may send several signatures, as during a change of the secret', async () => {
    const both = `v1,AAAA ${example.headers['webhook-signature']}`;
    expect((await post(example.body, { ...example.headers, 'webhook-signature': both })).status).toBe(200);
  });

  it('is rejected more than five minutes after its time', async () => {
    running.time.advance(301_000);
    expect((await post(example.body, example.headers)).status).toBe(401);
  });

  it('cannot be repeated with another Idempotency-Key', async () => {
    const first = await started(await post(example.body, { ...example.headers, 'idempotency-key': 'a' }));
    const again = await started(await post(example.body, { ...example.headers, 'idempotency-key': 'b' }));
    expect(again.id).toBe(first.id);
  });
});

describe('an event without a valid signature starts nothing', () => {
  const unsigned = { 'x-hub-signature-256': undefined };

  it.each([
    ['without a signature', unsigned],
    ['with a signature by another secret', { 'x-hub-signature-256': hmac(JSON.stringify(push), 'other') }],
    ['with the signature of another body', { 'x-hub-signature-256': hmac('{}') }],
    ['with the old form of the signature', { ...unsigned, 'x-hub-signature': 'sha1=00' }],
    ['with the token of the other host', { ...unsigned, 'x-gitlab-token': secret }],
  ])('%s, not even with a key', async (_what, headers) => {
    await addTrigger();
    const rejection = bytes(await stranger.inject({ method: 'POST', url: path, payload: push }));
    expect(bytes(await send({ headers }))).toEqual(rejection);
    expect((await send({ headers, by: member })).status).toBe(401);
    expect(await countRuns()).toBe(0);
  });

  it.each([
    ['no credential', async () => null],
    ['a deleted credential', async () => 999],
    ['a credential without a secret', () => addCredential('')],
    ['a credential of another type', () => addCredential('', 'tool')],
  ])('if the trigger has %s', async (_what, credentialOf) => {
    await addTrigger({}, await credentialOf());
    for (const key of [secret, '']) {
      const headers = { 'x-hub-signature-256': hmac(JSON.stringify(push), key) };
      expect((await send({ headers })).status).toBe(401);
      expect((await send({ headers, by: member })).status).toBe(401);
    }
    expect((await sendB('Push Hook', push, { 'x-gitlab-token': '' })).status).toBe(401);
    expect(await countRuns()).toBe(0);
  });

  it('if the workflow also has a webhook without authentication', async () => {
    const nodes = {
      pushed: ['trigger_git', {}, { credential_id: credentialId }],
      hook: ['trigger_webhook', { auth: 'none' }],
    } as const;
    await running.addWorkflow(member.user, 'repo', { nodes });
    expect((await send({ headers: unsigned })).status).toBe(401);
    const other = await started(await stranger.inject({ method: 'POST', url: path, payload: push }));
    expect(other.triggerNodeId).toBe('hook');
  });

  it('and counts like a wrong key', async () => {
    await addTrigger();
    for (let times = 0; times < 20; times += 1) await send({ headers: { 'x-hub-signature-256': 'sha256=0' } });
    expect((await send({ headers: { 'x-hub-signature-256': 'sha256=0' } })).status).toBe(429);
    expect((await send()).status).toBe(200);
  });
});

describe('a request that is no event of a git host', () => {
  it('does not start a git trigger, not even with a key', async () => {
    await addTrigger();
    expect((await member.post(path, push)).status).toBe(404);
    expect((await stranger.inject({ method: 'POST', url: path, payload: push })).status).toBe(401);
    expect(await countRuns()).toBe(0);
  });

  it('by another method is not an event', async () => {
    await addTrigger();
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': hmac('') };
    expect((await stranger.inject({ method: 'GET', url: path, headers })).status).toBe(401);
    expect((await running.app.inject({ method: 'HEAD', url: path, headers })).statusCode).toBe(401);
  });

  it('is an ordinary request if the workflow has no active git trigger', async () => {
    await running.addWorkflow(member.user, 'repo', {
      nodes: { hook: ['trigger_webhook', { signature: 'git_host_a' }, { credential_id: credentialId }] },
    });
    expect((await started(await send())).triggerNodeId).toBe('hook');
  });
});

describe('a repeated delivery', () => {
  it('of the first host is the same one by its X-GitHub-Delivery, whatever its body', async () => {
    await addTrigger();
    const headers = { 'x-github-delivery': 'd1' };
    const first = await started(await send({ headers }));
    const again = await send({ headers, payload: { ...push, attempt: 2 } });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await started(again)).id).toBe(first.id);
    await started(await send({ headers: { 'x-github-delivery': 'd2' } }));
    expect(await countRuns()).toBe(2);
  });

  it('of the second host is the same one by its Idempotency-Key', async () => {
    await addTrigger();
    const first = await started(await sendB('Push Hook', push, { 'idempotency-key': 'd1' }));
    const again = await started(await sendB('Push Hook', push, { 'idempotency-key': 'd1' }));
    expect(again.id).toBe(first.id);
  });
});

describe('an event is ignored with 200', () => {
  it.each([
    ['of a kind that the trigger does not name', {}, 'ping', push],
    ['of a branch that does not match', { branches: ['release/*'] }, 'push', push],
    ['of a tag, if branches are named', { branches: ['**'] }, 'push', { ref: 'refs/tags/v1' }],
    ['of another kind than its config names', { events: ['merge_request'] }, 'push', push],
  ])('%s', async (_what, config, event, payload) => {
    await addTrigger(config);
    expectIgnored(await send({ event, payload }));
    expect(await countRuns()).toBe(0);
  });

  it('only if its signature is valid', async () => {
    await addTrigger();
    const headers = { 'x-hub-signature-256': 'sha256=0' };
    expect((await send({ event: 'ping', headers })).status).toBe(401);
  });

  it('whose long name is shortened in the answer', async () => {
    await addTrigger();
    const answer = await send({ event: 'x'.repeat(5000) });
    expectIgnored(answer);
    expect(answer.text.length).toBeLessThan(300);
  });
});

describe('of several git triggers', () => {
  const credentialOf = () => ({ credential_id: credentialId });

  it('the one with the highest priority that wants the event starts', async () => {
    const nodes = {
      any: ['trigger_git', { events: ['*'] }, { ...credentialOf(), priority: 1 }],
      main: ['trigger_git', { branches: ['main'] }, { ...credentialOf(), priority: 2 }],
      off: ['trigger_git', {}, { ...credentialOf(), priority: 3, is_active: false }],
    } as const;
    await running.addWorkflow(member.user, 'repo', { nodes });
    expect((await started(await send())).triggerNodeId).toBe('main');
    expect((await started(await send({ event: 'issues' }))).triggerNodeId).toBe('any');
  });

  it('only those whose secret the sender has start', async () => {
    const other = await addCredential('another secret');
    const nodes = {
      theirs: ['trigger_git', {}, { credential_id: other, priority: 9 }],
      ours: ['trigger_git', {}, credentialOf()],
    } as const;
    await running.addWorkflow(member.user, 'repo', { nodes });
    expect((await started(await send())).triggerNodeId).toBe('ours');
  });
});

it('validate warns about a trigger without a secret', async () => {
  await addTrigger({}, null);
  const { body } = await member.post('/api/v1/workflows/repo/validate/');
  expect(JSON.stringify(body)).toContain("Node 'pushed' checks signatures and has no credential with a webhook_secret");
});
