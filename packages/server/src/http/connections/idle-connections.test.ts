import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { addIdleConnections } from './idle-connections.ts';

let app: FastifyInstance;
let time: VirtualTime;
const clients: Socket[] = [];
const waiting: (() => void)[] = [];
beforeEach(async () => {
  time = new VirtualTime();
  app = Fastify();
  addIdleConnections(app, time.timers, 4);
  app.get('/now', async () => 'now');
  app.get('/later', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'later';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const answer of waiting.splice(0)) answer();
  for (const client of clients.splice(0)) client.destroy();
  await app.close();
  expect(time.pending).toBe(0);
});

async function opened(): Promise<Socket> {
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** A connection that has had an answer. */
async function idle(): Promise<Socket> {
  const client = await opened();
  client.write('GET /now HTTP/1.1\r\nHost: here\r\n\r\n');
  await once(client, 'data');
  return client;
}

/** A connection whose request is not answered yet. */
async function busy(): Promise<Socket> {
  const client = await opened();
  const before = waiting.length;
  client.write('GET /later HTTP/1.1\r\nHost: here\r\n\r\n');
  while (waiting.length === before) await nextTurn();
  return client;
}

test('connections stay open between requests while there are few', async () => {
  const first = await idle();
  for (let count = 1; count < 4; count += 1) await idle();
  time.advance(60_000);
  first.write('GET /now HTTP/1.1\r\nHost: here\r\n\r\n');
  expect(String(await once(first, 'data'))).toMatch(/^HTTP\/1.1 200/);
});

test('idle ones are closed while there are many, and those that wait for an answer get it', async () => {
  const at = await busy();
  const resting = [await idle(), await idle(), await idle()];
  const ends = resting.map((client) => once(client, 'end'));
  const last = await opened();
  await Promise.all(ends);
  last.write('GET /now HTTP/1.1\r\nHost: here\r\n\r\n');
  expect(String(await once(last, 'data'))).toMatch(/^HTTP\/1.1 200/);
  for (const answer of waiting.splice(0)) answer();
  expect(String(await once(at, 'data'))).toMatch(/^HTTP\/1.1 200/);
});

test('they are looked for once a second, however many connections are opened', async () => {
  for (let count = 0; count < 6; count += 1) await busy();
  const client = await idle();
  const end = once(client, 'end');
  expect(client.readyState).toBe('open');
  time.advance(1000);
  await end;
});
