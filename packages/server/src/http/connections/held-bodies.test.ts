import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerError } from '../plumbing/errors.ts';
import type { Caller } from '../plumbing/route.ts';
import { addHeldBodies } from './held-bodies.ts';

const limits = { each: 1_000, keyless: 10_000, together: 50_000 };
const somebody = {} as Caller;

let app: FastifyInstance;
let sockets: Socket[];
/** Sends requests whose headers have arrived: the rest comes in the same packet. */
let received: number;
/** Ends the requests that wait for their answer. */
let waiting: (() => void)[];
beforeEach(async () => {
  sockets = [];
  received = 0;
  waiting = [];
  app = Fastify();
  app.decorateRequest('caller', null);
  app.setErrorHandler(answerError);
  app.addHook('onRequest', (request, _reply, done) => {
    received += 1;
    if (request.headers.authorization !== undefined) request.caller = somebody;
    done();
  });
  addHeldBodies(app, limits);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/', async ({ body }) => ({ length: (body as Buffer).length }));
  app.post('/decoded', async (request) => {
    request.holdBody(Number(request.headers['content-encoding']));
    return {};
  });
  app.post('/released', async (request) => {
    request.releaseBody();
    return new Promise((resolve) => waiting.push(() => resolve({})));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

/** Sends the beginning of a body and leaves the connection open. */
async function begin(sent: number, announced: number | 'chunked', headers = ''): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const length = announced === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
  const chunk = announced === 'chunked' ? `${sent.toString(16)}\r\n${'x'.repeat(sent)}\r\n` : 'x'.repeat(sent);
  const before = received;
  socket.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Type: text/plain\r\n${headers}${length}\r\n\r\n${chunk}`);
  while (received === before) await new Promise((resolve) => setImmediate(resolve));
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

const post = (length: number, headers: Record<string, string> = {}, path = '/') =>
  fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body: 'x'.repeat(length),
  });

test('large request bodies without a key are rejected when they use too much memory in total, however they are sent', async () => {
  await begin(9_000, 20_000);
  expect(await answerTo(await begin(9_000, 20_000))).toMatch(/^HTTP\/1.1 503 .*\r\nconnection: close\r\n/is);
  expect(await answerTo(await begin(9_000, 'chunked'))).toMatch(/^HTTP\/1.1 503 .*retry-after: 10\r\n/is);
});

test('large request bodies are read while they are small or have a key', async () => {
  await begin(10_500, 20_000);
  const small = await post(1_000);
  expect([small.status, await small.json()]).toEqual([200, { length: 1_000 }]);
  expect((await post(30_000, { authorization: 'Bearer key' })).status).toBe(200);
  expect((await post(2_000)).status).toBe(503);
});

test('large request bodies free memory when they are answered and when their senders disconnect', async () => {
  for (let round = 0; round < 5; round += 1) expect((await post(9_000)).status).toBe(200);
  const slow = await begin(10_500, 20_000);
  expect((await post(9_000)).status).toBe(503);
  slow.destroy();
  let status = 503;
  while (status === 503) status = (await post(9_000)).status;
  expect(status).toBe(200);
});

test('large request bodies with a key are rejected when those of all callers use too much memory, before which small ones are read', async () => {
  const key = { authorization: 'Bearer key' };
  await begin(45_000, 60_000, 'Authorization: Bearer key\r\n');
  const answer = await post(9_000, key);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    detail: 'Too many large request bodies at the same time. Try again later.',
  });
  expect((await post(9_000)).status).toBe(503);
  expect((await post(1_000, key)).status).toBe(200);
});

test('large request bodies do not count while a request waits for its answer without its body', async () => {
  const key = { authorization: 'Bearer key' };
  const answers = Array.from({ length: 5 }, () => post(40_000, key, '/released'));
  while (waiting.length < 5) await new Promise((resolve) => setImmediate(resolve));
  expect((await post(40_000, key)).status).toBe(200);
  for (const end of waiting) end();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('large request bodies include what was decoded of small ones', async () => {
  const decoding = (bytes: number) => post(100, { 'content-encoding': String(bytes) }, '/decoded');
  expect((await decoding(10_500)).status).toBe(200);
  expect((await decoding(11_500)).status).toBe(503);
  const slow = await begin(6_000, 20_000);
  expect((await decoding(7_000)).status).toBe(503);
  slow.destroy();
  let status = 503;
  while (status === 503) status = (await decoding(7_000)).status;
  expect(status).toBe(200);
});
