import { webhookAccepted } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/ground/ids.ts';
import { apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';
const nodes = { start: 'trigger_webhook', end: 'echo' } as const;

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
});

async function acceptedId(answer: { status: number; body: unknown }): Promise<string> {
  expect(answer.status).toBe(200);
  return webhookAccepted.parse(answer.body).execution_id;
}

async function storedTrigger(answer: { status: number; body: unknown }): Promise<JsonObject> {
  const detail = await running.store.executions.detail(await acceptedId(answer));
  if (detail === null) throw new Error('nothing was stored');
  return { ...detail.trigger, node: detail.triggerNodeId } as unknown as JsonObject;
}

function send(options: { headers?: Record<string, string>; payload?: string | Buffer; query?: string }) {
  return member.inject({
    method: 'POST',
    url: path + (options.query ?? ''),
    headers: { 'content-type': 'application/json', ...options.headers },
    ...(options.payload !== undefined && { payload: options.payload }),
  });
}

describe('a webhook', () => {
  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes, edges: 'start -> end' }));

  it.each([path, `${path}/`])('at %s accepts a run and has committed it when it answers', async (url) => {
    const answer = await member.post(url, { n: 1 });
    expect(answer.status).toBe(200);
    const { execution_id } = webhookAccepted.parse(answer.body);
    expect(answer.body).toEqual({ status: 'accepted', execution_id, message: 'Workflow execution started' });
    expect(await running.store.executions.detail(execution_id)).toMatchObject({
      status: 'pending',
      workflowSlug: 'hook',
      triggerNodeId: 'start',
      trigger: { payload: { n: 1 } },
    });
  });

  it('prevents caching, and sends no referrer', async () => {
    const { headers } = await member.post(path, {});
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('passes headers and query to the run, without secrets', async () => {
    const headers = { 'x-kind': 'a', cookie: 'session=1', 'x-api-key': 'k' };
    const answer = await member.inject({ method: 'POST', url: `${path}?page=2&token=t`, headers });
    const trigger = await storedTrigger(answer);
    expect(trigger.query).toEqual({ page: '2' });
    expect(trigger.headers).toMatchObject({ 'x-kind': 'a' });
    expect(JSON.stringify(trigger)).not.toMatch(/mr_|session|x-api-key|authorization/);
  });

  it('rejects runs when too many are waiting', async () => {
    const full = await startRunning({ withRunner: false, maxOpenRuns: 1 });
    const visitor = await full.addPerson('visitor');
    await full.addWorkflow(visitor.user, 'hook', { nodes });
    expect((await visitor.post(path, {})).status).toBe(200);
    const rejected = await visitor.post(path, {});
    expect(rejected).toMatchObject({
      status: 503,
      body: { detail: 'Too many executions are pending or running. Try again later.' },
    });
    expect(rejected.headers['retry-after']).toBe('5');
    full.runner.start();
    await full.settle();
    expect((await visitor.post(path, {})).status).toBe(200);
  });

  it('accepts as many requests a minute as its trigger allows, and answers others with when to retry', async () => {
    const limited = { hook: ['trigger_webhook', { rate_limit_per_minute: 2 }], answer: 'echo' } as const;
    await running.addWorkflow(member.user, 'limited', { nodes: limited });
    await running.addWorkflow(member.user, 'unlimited', { nodes });
    const limitedPath = '/api/v1/webhooks/limited';
    expect((await member.post(limitedPath, {})).status).toBe(200);
    // Counted before the body is parsed: invalid requests count too.
    expect((await member.inject({ method: 'POST', url: limitedPath, payload: '{' })).status).toBe(400);
    const rejected = await member.post(limitedPath, {});
    expect(rejected).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { detail: 'This webhook accepts at most 2 requests per minute. Try again in 30 s.' },
    });
    expect((await member.post('/api/v1/webhooks/unlimited', {})).status).toBe(200);
    running.time.advance(30_000);
    expect((await member.post(limitedPath, {})).status).toBe(200);
  });
});

describe('the body of a webhook', () => {
  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes }));

  it.each([
    ['[1,{"a":null}]', [1, { a: null }]],
    ['"text"', 'text'],
    ['5', 5],
    ['true', true],
    ['null', null],
    ['', {}],
    [
      '{"__proto__":{"x":1},"constructor":{"prototype":1}}',
      JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}'),
    ],
  ])('is accepted as the payload %s', async (text, payload) => {
    const trigger = await storedTrigger(await send({ payload: text }));
    expect(trigger.payload).toEqual(payload);
    expect(Object.keys(trigger.payload ?? {})).toEqual(Object.keys(payload ?? {}));
  });

  it('may be missing, which is an empty object', async () => {
    expect(await storedTrigger(await member.inject({ method: 'POST', url: path }))).toMatchObject({ payload: {} });
  });

  it('may be a form, which becomes an object, with a list for repeated fields', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const trigger = await storedTrigger(await send({ headers, payload: 'a=1&b=x+y&b=%26&__proto__=p' }));
    expect(trigger.payload).toEqual(JSON.parse('{"a":"1","b":["x y","&"],"__proto__":"p"}'));
  });

  it.each(['{', 'hello', '{"a":1}x', "{'a':1}"])('is rejected as invalid JSON: %s', async (payload) => {
    expect(await send({ payload })).toMatchObject({ status: 400, body: { detail: 'Request body is not valid JSON.' } });
  });

  it('is rejected if it is not text', async () => {
    expect(await send({ payload: Buffer.from([0x22, 0xff, 0x22]) })).toMatchObject({ status: 400 });
  });

  it('may have 64 levels of nesting, and not 65', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect((await send({ payload: nested(64) })).status).toBe(200);
    expect(await send({ payload: nested(65) })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } });
  });

  it('may have millions of values', async () => {
    expect((await send({ payload: `[${'0,'.repeat(2_500_000)}0]` })).status).toBe(200);
  });

  it('may have 500,000 lists and objects or 1,000 fields of a form, and not one more', async () => {
    const lists = (count: number): string => `[${'[],'.repeat(count - 1)}0]`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send({ payload: lists(500_000) })).status).toBe(200);
    expect((await send({ headers: form, payload: 'a&'.repeat(999) })).status).toBe(200);
    const rejection = { status: 422, body: { detail: [{ type: 'too_many_values', loc: ['body'] }] } };
    expect(await send({ payload: lists(500_001) })).toMatchObject(rejection);
    expect(await send({ headers: form, payload: 'a&'.repeat(1000) })).toMatchObject(rejection);
  });

  it('may have 100,000 different names in its objects, and not one more', async () => {
    const object = (names: number): string =>
      `{${Array.from({ length: names }, (_, index) => `"${index}a":0`).join(',')}}`;
    expect((await send({ payload: `[${object(100_000)},${object(100_000)}]` })).status).toBe(200);
    expect(await send({ payload: object(100_001) })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'too_many_names', loc: ['body'] }] },
    });
  });

  it('may have 5 MiB, and not a byte more', async () => {
    const limit = 5 * 1024 * 1024;
    expect((await send({ payload: `"${'x'.repeat(limit - 2)}"` })).status).toBe(200);
    const rejected = await send({ payload: `"${'x'.repeat(limit - 1)}"` });
    expect(rejected).toMatchObject({ status: 413, body: { detail: 'Request body is too large.' } });
  });
});

describe('the key of a webhook', () => {
  const url = { method: 'POST', url: path } as const;
  const unauthenticated = {
    status: 401,
    text: '{"detail":"Invalid or missing API key"}',
    headers: { 'www-authenticate': 'Bearer' },
  };

  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes }));

  it('may be in the query', async () => {
    const answer = await apiOf(running.app, null).inject({ ...url, url: `${path}?api_key=${member.key}` });
    const trigger = await storedTrigger(answer);
    expect(trigger.query).toEqual({});
  });

  it('may be in both places if it is the same', async () => {
    expect((await member.inject({ ...url, url: `${path}?api_key=${member.key}` })).status).toBe(200);
    const other = await running.addPerson('member');
    expect(await member.inject({ ...url, url: `${path}?api_key=${other.key}` })).toMatchObject(unauthenticated);
  });

  it('may be restricted to webhooks', async () => {
    const sender = await running.addPerson('member', 'webhook');
    expect((await sender.post(path, {})).status).toBe(200);
  });

  it.each([
    ['missing', path],
    ['missing, for a workflow that does not exist', '/api/v1/webhooks/none'],
    ['unknown', `${path}?api_key=${newApiKey()}`],
    ['empty', `${path}?api_key=`],
    ['not in the form of a key', `${path}?api_key=abc`],
  ])('that is %s is rejected with the same message', async (_what, address) => {
    expect(await apiOf(running.app, null).inject({ ...url, url: address })).toMatchObject(unauthenticated);
  });

  it('that appears twice is rejected', async () => {
    const address = `${path}?api_key=${member.key}&api_key=${member.key}`;
    expect(await apiOf(running.app, null).inject({ ...url, url: address })).toMatchObject(unauthenticated);
  });

  it('is checked before the body is parsed', async () => {
    expect(await apiOf(running.app, null).inject({ ...url, payload: '{' })).toMatchObject(unauthenticated);
  });
});

describe('a webhook is not found', () => {
  const notFound = { status: 404, text: `{"detail":"Workflow 'hook' not found"}` };

  it('if no workflow has the slug', async () => {
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if its workflow is not active', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes, fields: { isActive: false } });
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if its workflow was deleted', async () => {
    const { id } = await running.addWorkflow(member.user, 'hook', { nodes });
    await running.store.workflows.remove({ ids: [id], at: running.time.clock.now() });
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if its workflow has no trigger', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { end: 'echo' } });
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if its trigger is not active', async () => {
    const start = ['trigger_webhook', {}, { is_active: false }] as const;
    await running.addWorkflow(member.user, 'hook', { nodes: { start, byHand: 'trigger_manual' } });
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if it has several triggers, none of them a webhook', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { byHand: 'trigger_manual', called: 'trigger_workflow' } });
    expect(await member.post(path, {})).toMatchObject(notFound);
  });

  it('if it belongs to another user, unless it is public', async () => {
    const visitor = await running.addPerson('visitor');
    await running.addWorkflow(visitor.user, 'hook', { nodes });
    await running.addWorkflow(visitor.user, 'open', { nodes, fields: { isPublic: true } });
    expect(await member.post(path, {})).toMatchObject(notFound);
    expect((await member.post('/api/v1/webhooks/open', {})).status).toBe(200);
  });

  it('for any body, which is not checked', async () => {
    expect(await send({ payload: '{' })).toMatchObject(notFound);
  });

  it.each(['a%2f..%2fb', '%00', 'a%20b', '%22%3E'])('for the malformed slug %s', async (slug) => {
    const answer = await member.post(`/api/v1/webhooks/${slug}`, {});
    expect(answer).toMatchObject({ status: 404, body: { detail: `Workflow '${decodeURIComponent(slug)}' not found` } });
  });
});

describe('the trigger of a webhook', () => {
  it('is the active one with the highest priority, then the lowest id', async () => {
    const at = (priority: number) => ['trigger_webhook', {}, { priority }] as const;
    const off = ['trigger_webhook', {}, { priority: 9, is_active: false }] as const;
    await running.addWorkflow(member.user, 'hook', {
      nodes: { low: at(1), first: at(2), second: at(2), off, byHand: 'trigger_manual' },
    });
    expect(await storedTrigger(await member.post(path, {}))).toMatchObject({ node: 'first' });
  });

  it('is the only trigger of a workflow that has no webhook', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { byHand: 'trigger_manual', end: 'echo' } });
    expect(await storedTrigger(await member.post(path, {}))).toMatchObject({ node: 'byHand' });
  });

  it('is selected again after the workflow changed', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { byHand: 'trigger_manual' } });
    await member.post(path, {});
    await running.changeNode('hook', 'byHand', { is_active: false });
    expect((await member.post(path, {})).status).toBe(404);
  });
});

describe('a payload', () => {
  it('that violates the input schema starts nothing, and the answer shows the path of the error', async () => {
    const inputSchema = { properties: { items: { items: { type: 'string' } } }, required: ['items'] };
    await running.addWorkflow(member.user, 'hook', { nodes, fields: { inputSchema } });
    expect(await member.post(path, { items: ['a', 5] })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'type', loc: ['body', 'items', '1'], msg: 'must be string', pointer: '/items/1' }] },
    });
    expect(await member.post(path, {})).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'required', pointer: '/items' }] },
    });
    expect(await running.store.executions.openCount()).toBe(0);
    expect((await member.post(path, { items: ['a'] })).status).toBe(200);
  });
});
