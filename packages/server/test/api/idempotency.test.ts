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

  it('that comes again with its Idempotency-Key starts nothing and is answered with the first run', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('with another key, or none, starts a run of its own', async () => {
    const keys = [{ 'idempotency-key': 'a' }, { 'idempotency-key': 'b' }, {}, {}, { 'idempotency-key': '' }];
    const ids = [];
    for (const headers of keys) ids.push(await deliver(headers));
    expect(new Set(ids).size).toBe(keys.length);
  });

  it('that comes twice at the same moment starts one run', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => deliver({ 'idempotency-key': 'a' })));
    expect(new Set(ids).size).toBe(1);
    expect(await running.store.executions.openCount()).toBe(1);
  });

  it('that comes again gets the first run, whatever has changed since', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    const workflow = await running.store.workflows.bySlug('hook');
    const changes = { inputSchema: { type: 'object', required: ['order'] } };
    await running.store.workflows.update({ id: workflow?.id ?? 0, changes, at: running.time.clock.now() });
    expect((await member.post(path, {})).status).toBe(422);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
  });

  it('that comes again is answered while new ones are refused because too many wait', async () => {
    const busy = await startRunning({ withRunner: false, maxOpenRuns: 1 });
    const sender = await busy.addPerson('member');
    await busy.addWorkflow(sender.user, 'hook', { nodes: { start: 'trigger_webhook' } });
    const send = (key: string) => sender.inject({ method: 'POST', url: path, headers: { 'idempotency-key': key } });
    expect((await send('a')).status).toBe(200);
    expect((await send('b')).status).toBe(503);
    expect((await send('a')).status).toBe(200);
  });

  it('is remembered for 24 hours', async () => {
    const first = await deliver({ 'idempotency-key': 'a' });
    running.time.advance(dayMs);
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    running.time.advance(1);
    expect(await deliver({ 'idempotency-key': 'a' })).not.toBe(first);
  });

  it('may not have a key of more than 255 characters', async () => {
    expect((await deliver({ 'idempotency-key': 'x'.repeat(255) })).length).toBeGreaterThan(0);
    const answer = await member.inject({ method: 'POST', url: path, headers: { 'idempotency-key': 'x'.repeat(256) } });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: 'Idempotency-Key must have at most 255 characters.' },
    });
  });

  it('to another workflow is another delivery', async () => {
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

describe('the header that tells deliveries apart', () => {
  it('is the one the trigger names, and Idempotency-Key where that is missing', async () => {
    const start = ['trigger_webhook', { dedupe_header: 'X-Delivery-Id' }] as const;
    await running.addWorkflow(member.user, 'hook', { nodes: { start } });
    const first = await deliver({ 'x-delivery-id': '1', 'idempotency-key': 'a' });
    expect(await deliver({ 'x-delivery-id': '1', 'idempotency-key': 'b' })).toBe(first);
    expect(await deliver({ 'x-delivery-id': '2', 'idempotency-key': 'a' })).not.toBe(first);
    expect(await deliver({ 'idempotency-key': '1' })).toBe(first);
  });

  it.each([
    'constructor',
    '__proto__',
  ])('may have any name, as %s, and is missing where it was not sent', async (name) => {
    const start = ['trigger_webhook', { dedupe_header: name }] as const;
    await running.addWorkflow(member.user, 'hook', { nodes: { start } });
    const first = await deliver({ 'idempotency-key': 'a' });
    expect(await deliver({ 'idempotency-key': 'a' })).toBe(first);
    expect(await deliver({})).not.toBe(first);
  });

  it('means another delivery when another user of a public workflow chose the same value', async () => {
    await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' }, fields: { isPublic: true } });
    const guest = await running.addPerson('guest');
    expect(await deliver({ 'idempotency-key': 'a' }, guest)).not.toBe(await deliver({ 'idempotency-key': 'a' }));
  });
});
