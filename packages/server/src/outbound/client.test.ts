import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutboundClient, type OutboundClient } from './client.ts';
import { HeldAnswers } from './held-answers.ts';

const servers: Server[] = [];
const clients: OutboundClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(resolve);
        }),
    ),
  );
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function client(options: { allowPrivate?: boolean; ownPort?: number } = {}): OutboundClient {
  const made = createOutboundClient({
    allowPrivate: options.allowPrivate ?? true,
    ownPort: () => options.ownPort ?? null,
  });
  clients.push(made);
  return made;
}

const get = (url: string) => ({ method: 'GET', url, headers: {}, body: null });
const noAbort = new AbortController().signal;
const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: StepError) => error.code,
  );

test('limits the answers that are being read together, and counts none after its end', async () => {
  const mebi = 1024 * 1024;
  const port = await serve((request, response) => {
    response.write(Buffer.alloc(request.url === '/small' ? 60_000 : 2 * mebi));
    if (request.url !== '/slow') response.end();
  });
  const answers = new HeldAnswers(5 * mebi);
  const made = createOutboundClient({ allowPrivate: true, ownPort: () => null }, answers);
  clients.push(made);
  const send = (path: string, signal = noAbort) => codeOf(made.send(get(`http://127.0.0.1:${port}${path}`), signal));
  const others = answers.begin();
  others.grow(4 * mebi);
  expect(await send('/')).toBe('http_busy');
  expect(await send('/small')).toBe('answered');
  others.release();
  for (let index = 0; index < 5; index += 1) expect(await send('/')).toBe('answered');
  const cut = new AbortController();
  const aborted = send('/slow', cut.signal);
  await expect.poll(() => hasRoom(answers, 3.5 * mebi)).toBe(false);
  cut.abort();
  await aborted;
  expect(hasRoom(answers, 5 * mebi)).toBe(true);
});

test.each([
  ['http://127.0.0.1:99999/', 'its port is above 65535'],
  ['http://[::1]:65536', 'its port is above 65535'],
  ['127.0.0.1:99999', 'it needs a scheme, e.g. https://, and a host'],
  ['http://:99999999999/', 'its port is above 65535'],
  ['http://a b/:99999', 'it needs a scheme, e.g. https://, and a host'],
])('says why the URL %s is not valid', async (url, reason) => {
  await expect(client().send(get(url), noAbort)).rejects.toThrow(`The URL is not valid: ${reason}.`);
});

/** Whether an answer of this many bytes could be read now. */
function hasRoom(answers: HeldAnswers, size: number): boolean {
  const answer = answers.begin();
  try {
    answer.grow(size);
    return true;
  } catch {
    return false;
  } finally {
    answer.release();
  }
}

describe('the outbound client', () => {
  test('sends method, headers and body, and returns status, headers and text', async () => {
    const port = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        response.setHeader('x-seen', `${request.method} ${request.headers['x-a']}`);
        response.writeHead(201).end(body.toUpperCase());
      });
    });
    const request = { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: { 'x-a': '1' }, body: 'hello' };
    const answer = await client().send(request, noAbort);
    expect(answer.status).toBe(201);
    expect(answer.headers['x-seen']).toBe('POST 1');
    expect(answer.body.text()).toBe('HELLO');
  });

  test('counts the size after decompression', async () => {
    const port = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.alloc(11 * 1024 * 1024)));
    });
    expect(await codeOf(client().send(get(`http://127.0.0.1:${port}/`), noAbort))).toBe('http_too_large');
  });

  test('reads a compressed answer', async () => {
    const port = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('plain words'));
    });
    const answer = await client().send(get(`http://127.0.0.1:${port}/`), noAbort);
    expect(answer.body.text()).toBe('plain words');
  });

  test('removes secrets when a redirect leaves the origin, and keeps them when it does not', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('there');
    });
    const port = await serve((request, response) => {
      if (request.url === '/away') return response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end();
      if (request.url === '/near') return response.writeHead(302, { location: '/end' }).end();
      seen.push(request.headers.authorization);
      return response.end('here');
    });
    const headers = { authorization: 'Bearer x' };
    const from = client();
    for (const path of ['away', 'near']) {
      await from.send({ method: 'GET', url: `http://127.0.0.1:${port}/${path}`, headers, body: null }, noAbort);
    }
    expect(seen).toEqual([undefined, 'Bearer x']);
  });

  test('removes every header that is not known to be harmless when a redirect leaves the origin', async () => {
    let seen: IncomingMessage['headers'] = {};
    const other = await serve((request, response) => {
      seen = request.headers;
      response.end();
    });
    const port = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end(),
    );
    const headers = { 'X-Api-Key': 'secret', 'x-team': 'secret', 'Content-Type': 'text/plain', accept: 'text/html' };
    await client().send({ ...get(`http://127.0.0.1:${port}/`), method: 'POST', headers, body: 'x' }, noAbort);
    expect(seen).toMatchObject({ 'content-type': 'text/plain', accept: 'text/html' });
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  test('gives up after five redirects', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(await codeOf(client().send(get(`http://127.0.0.1:${port}/`), noAbort))).toBe('http_connection');
  });
});

describe('the address policy', () => {
  test.each([
    'http://169.254.169.254/latest/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://0.0.0.0:9/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
  ])('never sends to %s', async (url) => {
    expect(await codeOf(client().send(get(url), noAbort))).toBe('http_blocked');
  });

  test.each([
    ['http://localhost/', 80],
    ['http://127.0.0.1/', 80],
    ['https://localhost/', 443],
    ['https://[::1]/', 443],
  ])('does not reach its own port by %s, without an explicit port', async (url, ownPort) => {
    expect(await codeOf(client({ ownPort }).send(get(url), noAbort))).toBe('http_blocked');
  });

  test.each([
    'http://127.0.0.1:',
    'http://localhost:',
    'http://0x7f.1:',
    'http://[::1]:',
    'http://2130706433:',
  ])('reaches neither its own port nor, when it listens publicly, this machine by %s', async (prefix) => {
    let hits = 0;
    const port = await serve((_, response) => {
      hits += 1;
      response.end();
    });
    const url = `${prefix}${port}/`;
    expect(await codeOf(client({ ownPort: port }).send(get(url), noAbort))).toBe('http_blocked');
    expect(await codeOf(client({ allowPrivate: false }).send(get(url), noAbort))).toBe('http_blocked');
    expect(hits).toBe(0);
  });

  test('checks each redirect again', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    expect(await codeOf(client().send(get(`http://127.0.0.1:${port}/`), noAbort))).toBe('http_blocked');
  });
});

describe('a request without an answer', () => {
  test('ends with the signal', async () => {
    const port = await serve(() => undefined);
    const abort = new AbortController();
    const sent = client().send(get(`http://127.0.0.1:${port}/`), abort.signal);
    abort.abort();
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('reports that nothing listens without naming an address of its own', async () => {
    const port = await serve(() => undefined);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    await expect(client().send(get(`http://127.0.0.1:${port}/`), noAbort)).rejects.toMatchObject({
      code: 'http_connection',
      retryable: true,
      message: `No response from 127.0.0.1:${port}: nothing listens there.`,
    });
  });
});
