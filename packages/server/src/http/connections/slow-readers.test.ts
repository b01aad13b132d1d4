import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { addSlowReaders } from './slow-readers.ts';

const mebi = 1024 * 1024;
/** More than the system's buffers of a connection hold. */
const largeAnswer = 'x'.repeat(16 * mebi);
/** The interval of the regular looks. */
const lookMs = 500;

let app: FastifyInstance;
let time: VirtualTime;
let clients: Socket[];
/** The service's side of each connection, in the order of opening. */
let served: Socket[];
let lines: string[];
beforeEach(() => {
  [clients, served, lines] = [[], [], []];
  time = new VirtualTime();
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await app.close();
  // No timer is left when all connections are closed.
  while (time.pending > 0) await nextTurn();
});

async function open(limits: { readonly together: number; readonly stalledMs: number }): Promise<void> {
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  app = Fastify();
  app.server.on('connection', (socket: Socket) => served.push(socket));
  addSlowReaders(app, { timers: time.timers, log }, limits);
  app.get('/large', async () => largeAnswer);
  app.get('/small', async () => 'small');
  await app.listen({ port: 0, host: '127.0.0.1' });
}

/** Requests a large answer and reads nothing of it; resolves when the service has written it. */
async function sleepingReader(): Promise<Socket> {
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  const index = served.length;
  client.pause().write('GET /large HTTP/1.1\r\nHost: here\r\n\r\n');
  while (unreadOf(served[index]) === 0 && served[index]?.destroyed !== true) await nextTurn();
  return client;
}

function unreadOf(socket: Socket | undefined): number {
  return socket === undefined || socket.destroyed ? 0 : socket.writableLength;
}

const unread = (): number => served.reduce((sum, socket) => sum + unreadOf(socket), 0);
const closedCount = (): number => served.filter(({ destroyed }) => destroyed).length;

async function readAll(path: string): Promise<number> {
  const { port } = app.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return (await response.text()).length;
}

test('clients that do not read are disconnected when their unread answers exceed the limit together', async () => {
  await open({ together: 40 * mebi, stalledMs: 60_000 });
  for (let count = 0; count < 3; count += 1) await sleepingReader();
  time.advance(lookMs);
  // Nobody is slow yet, and the total is below twice the limit.
  expect(closedCount()).toBe(0);
  time.advance(2 * lookMs);
  expect(closedCount()).toBe(1);
  expect(unread()).toBeLessThanOrEqual(40 * mebi);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ connections: 1 }]);
});

test('clients that do not read never exceed twice the limit, and those that read get their answers', async () => {
  await open({ together: 32 * mebi, stalledMs: 60_000 });
  for (let count = 0; count < 6; count += 1) {
    await sleepingReader();
    expect(unread()).toBeLessThanOrEqual(2 * 32 * mebi + largeAnswer.length);
    expect(await readAll('/small')).toBe(5);
    expect(await readAll('/large')).toBe(largeAnswer.length);
    if (count === 3) time.advance(lookMs);
  }
  time.advance(2 * lookMs);
  expect(unread()).toBeLessThanOrEqual(32 * mebi);
});

test('a client that reads nothing for a time is disconnected, unlike one that reads slowly', async () => {
  // Longer than other tests may keep this process from reading.
  await open({ together: 64 * mebi, stalledMs: 2_000 });
  const slow = await sleepingReader();
  await sleepingReader();
  slow.on('readable', () => undefined);
  const reads = setInterval(() => slow.read(32 * 1024), 10);
  time.advance(2 * lookMs);
  await once(served[1] as Socket, 'close');
  clearInterval(reads);
  expect(served[0]?.destroyed).toBe(false);
});

test('a client that has read slowly may wait for its next answer', async () => {
  await open({ together: 64 * mebi, stalledMs: 60_000 });
  const client = await sleepingReader();
  time.advance(2 * lookMs);
  expect(served[0]?.timeout).toBe(60_000);
  client.resume();
  while (unreadOf(served[0]) > 0) await nextTurn();
  time.advance(lookMs);
  expect(served[0]?.timeout).not.toBe(60_000);
});
