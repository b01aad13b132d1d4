import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { webhookAccepted } from '@millrace/contract';
import type { Json } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const url = '/api/v1/webhooks/hook';
const text = '{"name":"ä","n":1}';
const value = { name: 'ä', n: 1 };

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member', 'full', true);
  await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } });
});

function send(encoding: string, payload: string | Buffer, to = url) {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  return member.inject({ method: 'POST', url: to, headers, payload });
}

async function payloadOf(body: unknown): Promise<Json | undefined> {
  return (await running.store.executions.detail(webhookAccepted.parse(body).execution_id))?.trigger.payload;
}

const encoded: readonly [string, Buffer][] = [
  ['gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', Buffer.from(text)],
  ['', Buffer.from(text)],
  [' gzip , identity', gzipSync(text)],
  ['deflate, gzip', gzipSync(deflateSync(text))],
  ['gzip', gzipSync(`\uFEFF${text}`)],
];

describe('a request body', () => {
  it.each(encoded)('with Content-Encoding %j is decoded by a webhook', async (encoding, body) => {
    const answer = await send(encoding, body);
    expect([answer.status, await payloadOf(answer.body)]).toEqual([200, value]);
  });

  it.each(encoded)('with Content-Encoding %j is decoded by the API', async (encoding, body) => {
    const answer = await send(encoding, body, '/api/v1/workflows/');
    // The object has another shape, so the body was read.
    expect(answer).toMatchObject({ status: 422 });
  });

  it.each([
    'compress',
    'zstd',
    'gzip, zstd',
    'gzip, gzip, gzip, gzip',
    'aes128gcm',
    '*',
  ])('with Content-Encoding %j is rejected with the supported encodings', async (encoding) => {
    for (const to of [url, '/api/v1/workflows/']) {
      const answer = await send(encoding, text, to);
      expect(answer).toMatchObject({ status: 415, headers: { 'accept-encoding': 'gzip, deflate, br' } });
      const detail = `Content-Encoding '${encoding}' is not supported: send gzip, deflate, br, or none.`;
      expect(answer.body).toEqual({ detail });
    }
    expect(await running.store.executions.openCount()).toBe(0);
  });

  it.each([
    ['gzip', text],
    ['gzip', gzipSync(text).subarray(0, -9)],
    ['deflate', text],
    ['br', gzipSync(text)],
  ])('that is not valid %s data is rejected', async (encoding, body) => {
    const detail = `Request body is not valid '${encoding}' data, as its Content-Encoding says.`;
    for (const to of [url, '/api/v1/workflows/']) {
      expect(await send(encoding, body, to)).toMatchObject({ status: 400, body: { detail } });
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('of %s that is larger than the limit when it is decoded is rejected', async (encoding, compress) => {
    const within = compress(`"${'a'.repeat(5 * 1024 * 1024 - 2)}"`);
    const beyond = compress(`"${'a'.repeat(5 * 1024 * 1024 - 1)}"`);
    expect((await send(encoding, within)).status).toBe(200);
    const detail = 'Request body is too large when it is decoded.';
    expect(await send(encoding, beyond)).toMatchObject({ status: 413, body: { detail } });
  });

  it('that is empty needs no decoding', async () => {
    const answer = await send('gzip', '');
    expect([answer.status, await payloadOf(answer.body)]).toEqual([200, {}]);
  });

  it('is signed as it was sent', async () => {
    const detail = { webhook_secret: 'a secret' };
    const added = await member.post('/api/v1/credentials/', { name: 'hook', credential_type: 'git', detail });
    const { id } = added.body as { id: number };
    const start = ['trigger_webhook', { signature: 'git_host_a' }, { credential_id: id }] as const;
    await running.addWorkflow(member.user, 'signed', { nodes: { start } });
    const payload = gzipSync(text);
    const signature = `sha256=${createHmac('sha256', 'a secret').update(payload).digest('hex')}`;
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-hub-signature-256': signature,
    };
    const stranger = apiOf(running.app, null);
    const answer = await stranger.inject({ method: 'POST', url: '/api/v1/webhooks/signed', headers, payload });
    expect([answer.status, await payloadOf(answer.body)]).toEqual([200, value]);
  });
});
