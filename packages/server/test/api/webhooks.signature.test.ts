import { createHmac } from 'node:crypto';
import { credential, webhookAccepted } from '@millrace/contract';
import type { SignatureScheme } from '@millrace/core';
import type { InjectOptions } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Api, apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';
const secret = "It's a Secret to Everybody";
const body = '{"kind":"push","n":1.50}';

let running: Running;
let member: Person;
let stranger: Api;
let credentialId: number;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member', 'full', true);
  stranger = apiOf(running.app, null);
  credentialId = await addCredential({ webhook_secret: secret });
});

async function addCredential(detail: object, type = 'git'): Promise<number> {
  const body = { name: 'hook', credential_type: type, detail };
  return credential.parse((await member.post('/api/v1/credentials/', body)).body).id;
}

interface Signing {
  readonly signature?: SignatureScheme | 'none';
  readonly credential_id?: number | null;
  readonly extra?: object;
  readonly isActive?: boolean;
}

async function addSigned({ signature = 'git_host_a', isActive = true, ...signing }: Signing = {}): Promise<void> {
  const common = { credential_id: credentialId, ...signing };
  const start = ['trigger_webhook', { signature, ...signing.extra }, { credential_id: common.credential_id }] as const;
  await running.addWorkflow(member.user, 'hook', { nodes: { start }, fields: { isActive } });
}

function hex(text: string, key = secret): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

function seconds(): number {
  return Math.floor(running.time.clock.now() / 1000);
}

/** The header that each scheme sends with this body. */
const signed = {
  hmac_sha256: (text: string, key?: string) => ({
    'x-webhook-signature': `t=${seconds()},v1=${hex(`${seconds()}\n\n${text}`, key)}`,
  }),
  git_host_a: (text: string, key?: string) => ({ 'x-hub-signature-256': `sha256=${hex(text, key)}` }),
  git_host_b: (_text: string, key = secret) => ({ 'x-gitlab-token': key }),
  stripe: (text: string, key?: string) => ({
    'stripe-signature': `t=${seconds()},v1=${hex(`${seconds()}.${text}`, key)},v0=${hex(text, key)}`,
  }),
  slack: (text: string, key?: string) => ({
    'x-slack-request-timestamp': String(seconds()),
    'x-slack-signature': `v0=${hex(`v0:${seconds()}:${text}`, key)}`,
  }),
} as const;
const schemes = ['hmac_sha256', 'git_host_a', 'git_host_b', 'stripe', 'slack'] as const;
/** The schemes that sign the time. */
const timed = ['hmac_sha256', 'stripe', 'slack'] as const;

function send(headers: Record<string, string>, options: Partial<InjectOptions> = {}): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  return stranger.inject({ method: 'POST', url: path, payload: body, ...options, headers: { ...type, ...headers } });
}

/** Everything that a caller can observe of an answer. */
function bytes({ status, headers, text }: Answer): object {
  const { date: _date, ...others } = headers;
  return { status, headers: others, text };
}

async function rejection(): Promise<object> {
  return bytes(await stranger.inject({ method: 'POST', url: path, payload: body }));
}

function idOf(answer: Answer): string {
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return webhookAccepted.parse(answer.body).execution_id;
}

describe('a signature', () => {
  it.each(schemes)('by %s replaces a key', async (signature) => {
    await addSigned({ signature });
    const detail = await running.store.executions.detail(idOf(await send(signed[signature](body))));
    expect(detail?.trigger.payload).toEqual({ kind: 'push', n: 1.5 });
    expect(JSON.stringify(detail?.trigger)).not.toMatch(/signature|x-gitlab|Secret to/);
  });

  it('covers the exact bytes received', async () => {
    await addSigned();
    expect((await send(signed.git_host_a(JSON.stringify(JSON.parse(body))))).status).toBe(401);
  });

  it('by stripe may be one of several, as during a change of its secret', async () => {
    await addSigned({ signature: 'stripe' });
    const at = seconds();
    const [old, own] = ['old secret', secret].map((key) => hex(`${at}.${body}`, key));
    expect((await send({ 'stripe-signature': `t=${at},v1=${old},v1=${own}` })).status).toBe(200);
    expect((await send({ 'stripe-signature': `t=${at},v1=${old},v1=${old}` })).status).toBe(401);
    expect((await send({ 'stripe-signature': `t=${at},v0=${own}` })).status).toBe(401);
    expect((await send({ 'stripe-signature': `v1=${own}` })).status).toBe(401);
  });

  it('by slack requires its time', async () => {
    await addSigned({ signature: 'slack' });
    const { 'x-slack-signature': signature } = signed.slack(body);
    expect((await send({ 'x-slack-signature': signature })).status).toBe(401);
    expect((await send({ ...signed.slack(body), 'x-slack-request-timestamp': String(seconds() + 1) })).status).toBe(
      401,
    );
  });

  it('must match the scheme of the trigger, whatever other headers there are', async () => {
    await addSigned({ signature: 'stripe' });
    expect((await send({ ...signed.git_host_a('other'), ...signed.stripe(body) })).status).toBe(200);
    expect((await send({ ...signed.git_host_a(body), ...signed.stripe('other') })).status).toBe(401);
  });

  it('matches the example that its vendor publishes', async () => {
    await addSigned();
    // The example in the git host's documentation; its text is not JSON, which is checked after the signature.
    const known = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    expect((await send({ 'x-hub-signature-256': known }, { payload: 'Hello, World!' })).status).toBe(400);
  });

  it('without a body signs the empty string', async () => {
    await addSigned();
    const answer = await stranger.inject({ method: 'POST', url: path, headers: signed.git_host_a('') });
    expect((await running.store.executions.detail(idOf(answer)))?.trigger.payload).toEqual({});
  });

  it('is not needed with a key', async () => {
    await addSigned();
    expect((await member.post(path, {})).status).toBe(200);
    const wrong = { 'x-hub-signature-256': 'sha256=0', 'content-type': 'application/json' };
    expect((await member.inject({ method: 'POST', url: path, headers: wrong, payload: body })).status).toBe(200);
  });

  it('does not make a wrong key valid', async () => {
    await addSigned();
    expect((await send({ ...signed.git_host_a(body), authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send(signed.git_host_a(body), { url: `${path}?api_key=wrong` })).status).toBe(401);
  });

  it('counts against the rate limit of the webhook only if it is valid', async () => {
    await addSigned({ extra: { rate_limit_per_minute: 1 } });
    for (let times = 0; times < 3; times += 1) expect((await send(signed.git_host_a('other'))).status).toBe(401);
    expect((await send(signed.git_host_a(body))).status).toBe(200);
    expect(await send(signed.git_host_a(body))).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect((await send(signed.git_host_a('other'))).status).toBe(401);
  });
});

describe('a sender without a key is rejected with the same message', () => {
  it.each(schemes)('whose signature by %s was made with another secret', async (signature) => {
    await addSigned({ signature });
    expect(bytes(await send(signed[signature](body, 'another')))).toEqual(await rejection());
  });

  it.each([
    ['that has no signature', {}],
    ['whose signature is empty', { 'x-hub-signature-256': '' }],
    ['whose signature is malformed', { 'x-hub-signature-256': 'sha256=é' }],
    ['that sends the secret itself', { 'x-gitlab-token': secret }],
  ])('%s', async (_what, headers) => {
    await addSigned();
    expect(bytes(await send(headers))).toEqual(await rejection());
  });

  it.each([
    ['without a credential', () => addSigned({ credential_id: null })],
    ['with a deleted credential', () => addSigned({ credential_id: 999 })],
    ['with a credential without a secret', async () => addSigned({ credential_id: await addCredential({}) })],
    ['with one of another type', async () => addSigned({ credential_id: await addCredential({}, 'tool') })],
    ['without signatures', () => addSigned({ signature: 'none' })],
    ['with another scheme', () => addSigned({ signature: 'git_host_b' })],
    ['that is not active', () => addSigned({ isActive: false })],
    ['that does not exist', async () => undefined],
  ])('by a workflow %s', async (_what, add) => {
    await add();
    for (const key of [secret, '']) {
      expect(bytes(await send(signed.git_host_a(body, key)))).toEqual(await rejection());
    }
  });

  it('and counts like a wrong key, whether or not the workflow exists', async () => {
    await addSigned();
    const missing = { url: '/api/v1/webhooks/missing' };
    for (let times = 0; times < 10; times += 1) {
      expect((await send(signed.git_host_a('other'))).status).toBe(401);
      expect((await send(signed.git_host_a('other'), missing)).status).toBe(401);
    }
    const late = { status: 429, headers: { 'retry-after': '60' } };
    expect(await send(signed.git_host_a('other'))).toMatchObject(late);
    expect(await send(signed.git_host_a('other'), missing)).toMatchObject(late);
    expect((await send(signed.git_host_a(body))).status).toBe(200);
  });

  it('before its delivery key is checked', async () => {
    await addSigned();
    const key = { 'idempotency-key': 'k'.repeat(300) };
    expect((await send({ ...signed.git_host_a('other'), ...key })).status).toBe(401);
    expect((await send({ ...signed.git_host_a(body), ...key })).status).toBe(422);
  });
});

describe('a repeated signed request', () => {
  it('is the same delivery by the id of its host', async () => {
    await addSigned();
    const first = idOf(await send({ ...signed.git_host_a(body), 'x-github-delivery': '1' }));
    expect(idOf(await send({ ...signed.git_host_a(body), 'x-github-delivery': '1' }))).toBe(first);
    expect(idOf(await send({ ...signed.git_host_a(body), 'x-github-delivery': '2' }))).not.toBe(first);
  });

  it('is the same delivery by the header that the trigger names', async () => {
    await addSigned({ signature: 'git_host_b', extra: { dedupe_header: 'X-Id' } });
    const first = idOf(await send({ ...signed.git_host_b(body), 'x-id': '1' }));
    expect(idOf(await send({ ...signed.git_host_b(body), 'x-id': '1' }))).toBe(first);
  });

  it.each(timed)('by %s is the same delivery by its time and body', async (signature) => {
    await addSigned({ signature });
    const headers = signed[signature](body);
    const first = idOf(await send(headers));
    expect(idOf(await send(headers))).toBe(first);
    running.time.advance(1000);
    expect(idOf(await send(signed[signature](body)))).not.toBe(first);
  });

  it.each([
    'stripe',
    'slack',
  ] as const)('by %s is the same delivery with any key, because the key is not signed', async (signature) => {
    await addSigned({ signature });
    const headers = signed[signature](body);
    const first = idOf(await send({ ...headers, 'idempotency-key': 'a' }));
    expect(idOf(await send({ ...headers, 'idempotency-key': 'b' }))).toBe(first);
  });

  it('cannot be sent with another delivery key by an eavesdropper', async () => {
    await addSigned({ signature: 'hmac_sha256' });
    const key = { 'idempotency-key': 'first' };
    const at = seconds();
    const own = { 'x-webhook-signature': `t=${at},v1=${hex(`${at}\nfirst\n${body}`)}` };
    expect((await send({ ...own, ...key })).status).toBe(200);
    expect((await send({ ...own, 'idempotency-key': 'second' })).status).toBe(401);
    expect((await send(own)).status).toBe(401);
  });

  it.each(timed)('by %s is rejected more than five minutes before or after its time', async (signature) => {
    await addSigned({ signature });
    running.time.setClock(301_000);
    const headers = signed[signature](body);
    running.time.setClock(-301_000);
    expect((await send(headers)).status).toBe(401);
    running.time.advance(1000);
    expect((await send(headers)).status).toBe(200);
    running.time.advance(600_000);
    expect((await send(headers)).status).toBe(200);
    running.time.advance(1000);
    expect((await send(headers)).status).toBe(401);
  });
});
