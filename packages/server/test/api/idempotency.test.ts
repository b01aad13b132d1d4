import { webhookAccepted } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';
const dayMs = 24 * 60 * 60 * 1000;

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
});

async function deliver(headers: Record<string, string>, person = member): Promise<string> {
  const answer = await person.inject({ method: 'POST', url: path, headers });
  expect(answer.status).toBe(200);
  return webhookAccepted.parse(answer.body).execution_id;
}

describe('a delivery', () => {
  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } }));

  it('that is repeated with its Idempotency-Key starts nothing and is answered with the first run', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('with another key, or none, starts its own run', async () => {
    const keys = [{ 'idempotency-key': 'a' }, { 'idempotency-key': 'b' }, {}, {}, { 'idempotency-key': '' }];
    const ids = [];
    for (const headers of keys) ids.push(await deliver(headers));
    expect(new Set(ids).size).toBe(keys.length);
  });

  it('that arrives several times at the same moment starts one run', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => deliver({ 'idempotency-key': 'a' })));
    expect(new Set(ids).size).toBe(1);
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('that is repeated gets the first run, whatever has changed since', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    const workflow = await running.store.workflows.bySlug('hook');
    const changes = { inputSchema: { type: 'object', required: ['order'] } };
    await running.store.workflows.update({ id: workflow?.id ?? 0, changes, at: running.time.clock.now() });
    expect((await member.post(path, {})).status).toBe(422);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
  });

  it('that is repeated is answered even while new ones are rejected because too many wait', async () => {
    const busy = await startRunning({ withRunner: false, maxOpenRuns: 1 });
    const sender = await busy.addPerson('member');
    await busy.addWorkflow(sender.user, 'hook', { nodes: { start: 'trigger_webhook' } });
    const send = (key: string) => sender.inject({ method: 'POST', url: path, headers: { 'idempotency-key': key } });
    expect((await send('a')).status).toBe(200);
    expect((await send('b')).status).toBe(503);
    expect((await send('a')).status).toBe(200);
  });

  // Requirement engine.durability.time.class
  it.each([-2 * 3_600_000, dayMs])('is remembered for 24 hours, also if the clock is set by %i ms', async (byMs) => {
    const first = await deliver({ 'idempotency-key': 'a' });
    running.time.setClock(byMs);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    running.time.advance(dayMs - 1000);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    running.time.advance(2000 + Math.max(0, -byMs));
    expect(await deliver({ 'idempotency-key': 'a' })).not.toBe(first);
  });

  it('is remembered for 24 hours', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    running.time.advance(dayMs);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    running.time.advance(1);
    expect(await deliver({ 'idempotency-key': 'a' })).not.toBe(first);
  });

  it('is rejected if its key has more than 255 characters', async () => {
    expect((await deliver({ 'idempotency-key': 'x'.repeat(255) })).length).toBeGreaterThan(0);
    const answer = await member.inject({ method: 'POST', url: path, headers: { 'idempotency-key': 'x'.repeat(256) } });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: 'Idempotency-Key must have at most 255 characters.' },
    });
  });

  it('to another workflow is a different delivery', async () => {
    await running.addWorkflow(member.user, 'other', { nodes: { start: 'trigger_webhook' } });
    const first = await deliver({ 'idempotency-key': 'a' });
    const answer = await member.inject({
      method: 'POST',
      url: '/api/v1/webhooks/other',
      headers: { 'idempotency-key': 'a' },
    });
    expect(webhookAccepted.parse(answer.body).execution_id).not.toBe(first);
  });
});

describe('a webhook key', () => {
  const send = (payload: string | Buffer, contentType: string, key = 'a', method: 'POST' | 'PUT' = 'POST') =>
    member.inject({ method, url: path, payload, headers: { 'content-type': contentType, 'idempotency-key': key } });

  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } }));

  it.each([
    ['JSON', 'application/json', '{"n":1}', '{"n":2}'],
    ['text', 'text/plain', 'one', 'two'],
    ['a file', 'application/octet-stream', '\u0001', '\u0002'],
    ['multipart', 'multipart/form-data; boundary=x', part('one'), part('two')],
  ])('with another body is rejected with 409: %s', async (_what, contentType, body, other) => {
    const first = await send(body, contentType);
    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await send(body, contentType);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    const detail = expect.stringContaining('use another key, or send the same body');
    expect(await send(other, contentType)).toMatchObject({ status: 409, body: { detail } });
    expect(await running.store.executions.openCount()).toBe(1);
    expect((await send(other, contentType, 'b')).status).toBe(200);
  });

  it('in the header that the trigger names may be repeated with another body', async () => {
    const start = ['trigger_webhook', { dedupe_header: 'X-Delivery-Id' }] as const;
    await running.addWorkflow(member.user, 'counted', { nodes: { start } });
    const url = '/api/v1/webhooks/counted';
    const attempt = (payload: object) =>
      member.inject({ method: 'POST', url, payload, headers: { 'x-delivery-id': '1' } });
    const first = await attempt({ attempt: 1 });
    expect((await attempt({ attempt: 2 })).body).toEqual(first.body);
  });

  it('may be repeated with another body after 24 hours', async () => {
    const first = await send('one', 'text/plain');
    running.time.advance(dayMs + 1);
    const next = await send('two', 'text/plain');
    expect(next.status).toBe(200);
    expect(next.body).not.toEqual(first.body);
  });
});

/** A multipart body with one field. */
function part(value: string): string {
  return `--x\r\nContent-Disposition: form-data; name="field"\r\n\r\n${value}\r\n--x--\r\n`;
}

describe('execute with an Idempotency-Key', () => {
  const execute = (payload: object, key = 'a', person = member) =>
    person.inject({
      method: 'POST',
      url: '/api/v1/workflows/hook/execute/',
      payload,
      headers: { 'idempotency-key': key },
    });

  beforeEach(() => running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } }));

  it('starts nothing the second time, and answers with the first execution', async () => {
    const first = await execute({ payload: 1 });
    expect(first).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await execute({ payload: 1 });
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect((await execute({ payload: 1 }, 'b')).body).not.toEqual(first.body);
    expect(await running.store.executions.openCount()).toBe(2);
  });

  it('is rejected with 409 if the key is repeated with another body', async () => {
    expect((await execute({ payload: 1 })).status).toBe(200);
    const detail = expect.stringContaining('use another key, or send the same body');
    expect(await execute({ payload: 2 })).toMatchObject({ status: 409, body: { detail } });
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('starts one run if it arrives twenty times at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => execute({ payload: 1 })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('repeats the output in its answer', async () => {
    const busy = await startRunning();
    const sender = await busy.addPerson('sender');
    await busy.addWorkflow(sender.user, 'hook', {
      nodes: { start: 'trigger_manual', end: 'echo' },
      edges: 'start -> end',
    });
    const first = await execute({ payload: 7, wait: true }, 'a', sender);
    expect(first.body).toMatchObject({ status: 'completed', final_output: { payload: 7 } });
    expect((await execute({ payload: 7, wait: true }, 'a', sender)).body).toEqual(first.body);
  });

  it('shares no keys with webhooks', async () => {
    const first = await execute({});
    const delivered = await deliver({ 'idempotency-key': 'a' });
    expect((first.body as { execution_id: string }).execution_id).not.toBe(delivered);
  });
});

describe('the header that identifies deliveries', () => {
  it('is the one the trigger names, or else Idempotency-Key', async () => {
    const start = ['trigger_webhook', { dedupe_header: 'X-Delivery-Id' }] as const;
    await running.addWorkflow(member.user, 'hook', { nodes: { start } });
    const first = await deliver({ 'x-delivery-id': '1', 'idempotency-key': 'a' });
    expect(await deliver({ 'x-delivery-id': '1', 'idempotency-key': 'b' })).toBe(first);
    expect(await deliver({ 'x-delivery-id': '2', 'idempotency-key': 'a' })).not.toBe(first);
    expect(await deliver({ 'idempotency-key': '1' })).toBe(first);
  });

  it.each(['constructor', '__proto__'])('may have any name, such as %s, and may be missing', async (name) => {
    const start = ['trigger_webhook', { dedupe_header: name }] as const;
    await running.addWorkflow(member.user, 'hook', { nodes: { start } });
    const first = await deliver({ 'idempotency-key': 'a' });
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    expect(await deliver({})).not.toBe(first);
  });

  it('identifies deliveries per user: another user of a public workflow may choose the same value', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' }, fields: { isPublic: true } });
    const visitor = await running.addPerson('visitor');
    expect(await deliver({ 'idempotency-key': 'a' }, visitor)).not.toBe(await deliver({ 'idempotency-key': 'a' }));
  });
});
