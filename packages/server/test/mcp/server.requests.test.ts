import type { InjectOptions } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { called, McpScene } from './mcp-scene.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const types = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

let scene: McpScene;
beforeEach(async () => {
  scene = await McpScene.start();
});

function send(body: unknown, headers: InjectOptions['headers'] = {}, person = scene.member) {
  return person.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...types, ...headers },
    payload: JSON.stringify(body),
  });
}

test('a message needs a key of full scope', async () => {
  expect(await send(list)).toMatchObject({ status: 200 });
  const wrong = await send(list, { authorization: 'Bearer mr_wrong' });
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  const hook = await scene.running.addPerson('hook', 'webhook');
  expect(await send(list, {}, hook)).toMatchObject({
    status: 403,
    body: { detail: 'This API key may only start workflows by webhook.' },
  });
});

test('a page of another site and another host name are rejected', async () => {
  expect(await send(list, { origin: 'http://evil.example' })).toMatchObject({ status: 403 });
  expect(await send(list, { host: 'evil.example' })).toMatchObject({ status: 421 });
  expect(await send(list, { origin: 'http://localhost', host: 'localhost' })).toMatchObject({ status: 200 });
});

test('a message has at most 1 MiB, and batches and other content are rejected', async () => {
  expect(await send({ ...list, params: { text: 'x'.repeat(1024 * 1024) } })).toMatchObject({ status: 413 });
  expect(await send([list, list])).toMatchObject({ status: 400 });
  expect(await send(list, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  expect(await send(list, { accept: 'application/json' })).toMatchObject({ status: 406 });
});

test('there are no sessions, so GET and DELETE are not allowed', async () => {
  for (const method of ['GET', 'DELETE'] as const) {
    const answer = await scene.member.inject({ method, url: '/mcp', headers: { accept: 'text/event-stream' } });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  }
});

test('a subscription to events is rejected, because nothing is published', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = {
    ...list,
    method: 'subscriptions/listen',
    params: { _meta, notifications: { toolsListChanged: true } },
  };
  const answer = await send(message, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method });
  expect(answer.text).toContain('Subscription limit reached');
});

test('the execution of a client that disconnects continues', async () => {
  await scene.add('slow', called('held'));
  const gone = new AbortController();
  const client = await scene.connect('legacy');
  const call = client.callTool({ name: 'slow', arguments: {} }, { signal: gone.signal });
  await scene.running.until(() => scene.running.steps.heldCount === 1);
  gone.abort();
  await expect(call).rejects.toThrow();
  await client.close();
  scene.running.steps.letGo();
  await scene.running.settle();
  expect(await scene.runs('slow')).toMatchObject([{ status: 'completed' }]);
});

test.each([
  ['a cursor of another type', { method: 'tools/list', params: { cursor: 5 } }, 'The cursor is not one'],
  [
    'a client of many wrong icons',
    { method: 'initialize', params: { clientInfo: { name: 'x', version: '1', icons: Array(20_000).fill({}) } } },
    'at most 32768 characters',
  ],
])('%s is answered with a short error', async (_about, message, reason) => {
  const { status, text } = await send({ ...list, ...message });
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: expect.stringContaining(reason) } },
  ]);
  expect(text.length).toBeLessThan(250);
});
