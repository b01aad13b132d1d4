import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addRequestOrder } from './request-order.ts';

const largeAnswer = 'x'.repeat(16 * 1024 * 1024);

let app: FastifyInstance;
let client: Socket;
/** What happened, in order. */
let log: string[];
beforeEach(async () => {
  log = [];
  app = Fastify();
  addRequestOrder(app);
  app.get('/large', async () => {
    log.push('large');
    return largeAnswer;
  });
  app.get<{ Params: { name: string } }>('/slow/:name', async ({ params: { name } }) => {
    log.push(`begin ${name}`);
    await nextTurn();
    log.push(`end ${name}`);
    return name;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
});
afterEach(async () => {
  client.destroy();
  await app.close();
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;

test('requests that a client sends at once are handled one after the other', async () => {
  client.write(['a', 'b', 'c'].map((name) => get(`/slow/${name}`)).join(''));
  let answers = '';
  while (!answers.endsWith('c')) answers += String((await once(client, 'data'))[0]);
  expect(log).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
});

test('the next request is handled when the client has read the answer', async () => {
  client.pause().write(get('/large').repeat(50));
  // The system holds a part of the first answer, and the client never reads it.
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  expect(log).toEqual(['large']);
});

test('requests on other connections do not wait', async () => {
  client.pause().write(get('/large').repeat(50));
  while (log.length === 0) await nextTurn();
  const { port } = app.server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/slow/a`)).text()).toBe('a');
});

test('the rest is dropped when the client disconnects', async () => {
  client.pause().write(get('/large').repeat(50));
  while (log.length === 0) await nextTurn();
  const [served] = await Promise.all([once(app.server, 'close'), app.close(), client.destroy()]);
  expect(served).toEqual([]);
  expect(log).toEqual(['large']);
});
