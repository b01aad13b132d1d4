import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { catalogue } from '@millrace/components';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

const mebibyte = 1024 * 1024;
const tooLarge = ['HTTP/1.1 413 Payload Too Large', '{"detail":"Request body is too large."}'];

let api: TestApp;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  api = await startTestApp({ catalogue });
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  await api.post('/api/v1/workflows/', { name: 'Open', slug: 'open' });
  const hook = { node_id: 'hook', component_type: 'trigger_webhook', config: { extra_config: { auth: 'none' } } };
  expect((await api.post('/api/v1/workflows/open/nodes/', hook)).status).toBe(201);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

const authorized = () => [`Authorization: Bearer ${api.key}`];
const json = 'Content-Type: application/json';

/** A connection that reads nothing yet, and stays open for writing when the service has closed its side. */
function open(): Socket {
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  // A failed write rejects its own promise.
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Resolves when the bytes are sent. */
function write(socket: Socket, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

function head(target: string, headers: readonly string[]): string {
  return [`POST ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
}

/** Sends so many MiB, announced by Content-Length or in chunks. */
async function sendBody(socket: Socket, mebibytes: number, isChunked: boolean): Promise<void> {
  const data = Buffer.alloc(mebibyte, ' ');
  const size = `${mebibyte.toString(16)}\r\n`;
  for (let sent = 0; sent < mebibytes; sent += 1) {
    await write(socket, isChunked ? Buffer.concat([Buffer.from(size), data, Buffer.from('\r\n')]) : data);
  }
  if (isChunked) await write(socket, '0\r\n\r\n');
}

/** All that the service sends until it closes the connection: the lines of the answer. */
async function answerOn(socket: Socket): Promise<readonly string[]> {
  let text = '';
  for await (const data of socket) text += String(data);
  return text.split('\r\n');
}

const length = (bytes: number) => `Content-Length: ${bytes}`;
const chunked = 'Transfer-Encoding: chunked';
const lengths = [
  ['with Content-Length', length(50 * mebibyte), false],
  ['in chunks', chunked, true],
] as const;

describe('a client that sends a body of 50 MiB before it reads', () => {
  it.each(
    [
      ['the API', '/api/v1/workflows/', true],
      ['a webhook with a key', '/api/v1/webhooks/open', true],
      ['a webhook without a key', '/api/v1/webhooks/open', false],
      ['a login', '/api/v1/auth/token/', false],
      ['a callback', '/api/v1/callbacks/none-of-ours', false],
      ['an answer link', '/api/v1/answers/none-of-ours', false],
    ].flatMap(([what, target, isKeyed]) => lengths.map((kind) => [what, kind[0], target, isKeyed, kind] as const)),
  )('to %s, %s, gets 413', async (_what, _how, target, isKeyed, [, lengthHeader, isChunked]) => {
    const socket = open();
    await write(socket, head(String(target), [...(isKeyed ? authorized() : []), json, lengthHeader]));
    await sendBody(socket, 50, isChunked);
    const answer = await answerOn(socket);
    expect([answer[0], answer.at(-1)]).toEqual(tooLarge);
    expect(answer.map((line) => line.toLowerCase())).toContain('connection: close');
  });

  it('gets 413 for a form', async () => {
    const socket = open();
    const form = 'Content-Type: application/x-www-form-urlencoded';
    await write(socket, head('/api/v1/webhooks/open', [form, length(50 * mebibyte)]));
    await sendBody(socket, 50, false);
    const answer = await answerOn(socket);
    expect([answer[0], answer.at(-1)]).toEqual(tooLarge);
  });

  it.each(lengths)('gets 401 without a key, %s', async (_how, lengthHeader, isChunked) => {
    const socket = open();
    await write(socket, head('/api/v1/workflows/', [json, lengthHeader]));
    await sendBody(socket, 50, isChunked);
    expect((await answerOn(socket))[0]).toBe('HTTP/1.1 401 Unauthorized');
  });

  it('gets 404 for a path that does not exist', async () => {
    const socket = open();
    await write(socket, head('/api/v1/nothing/', [...authorized(), json, length(50 * mebibyte)]));
    await sendBody(socket, 50, false);
    expect((await answerOn(socket))[0]).toMatch(/^HTTP\/1\.1 (404|413) /);
  });

  it('cannot send another request after it', async () => {
    const socket = open();
    await write(socket, head('/api/v1/workflows/', [...authorized(), json, length(2 * mebibyte)]));
    await sendBody(socket, 2, false);
    const body = '{"name":"Late","slug":"late"}';
    await write(socket, head('/api/v1/workflows/', [...authorized(), json, length(body.length)]) + body);
    const answer = await answerOn(socket);
    expect(answer.filter((line) => line.startsWith('HTTP/1.1'))).toEqual([tooLarge[0]]);
    expect((await api.get('/api/v1/workflows/late/')).status).toBe(404);
  });
});

describe('a rejected body', () => {
  /** Begins one, and resolves when the answer has come; `closed` when the service has closed the connection. */
  async function begin(): Promise<{ socket: Socket; closed: Promise<unknown> }> {
    const served = once(api.app.server, 'connection') as Promise<[Socket]>;
    const socket = open();
    const [own] = await served;
    const closed = once(own, 'close');
    await write(socket, head('/api/v1/workflows/', [...authorized(), json, length(900 * mebibyte)]));
    await once(socket, 'data');
    return { socket, closed };
  }

  it('is read for at most 30 seconds, however slowly it comes', async () => {
    const { socket, closed } = await begin();
    for (let second = 0; second < 29; second += 1) {
      await write(socket, 'x');
      api.time.advance(1000);
    }
    const pending = api.time.pending;
    api.time.advance(1000);
    await closed;
    expect(pending).toBeGreaterThan(0);
    expect(api.time.pending).toBe(0);
  });

  it('is read up to 64 MiB', async () => {
    const { socket, closed } = await begin();
    const sent = sendBody(socket, 900, false);
    await expect(sent).rejects.toThrow(/EPIPE|ECONNRESET/);
    await closed;
    expect(socket.bytesWritten).toBeGreaterThan(64 * mebibyte);
  });

  it('does not delay the end of the service', async () => {
    const { closed } = await begin();
    await api.app.close();
    await closed;
  });
});

describe('a client that waits for 100 Continue', () => {
  const expecting = 'Expect: 100-continue';

  it.each([
    ['/api/v1/workflows/', 2, 413],
    ['/api/v1/webhooks/open', 6, 413],
  ])('gets 413 from %s at once for a body that is too large', async (target, mebibytes, status) => {
    const socket = open();
    await write(socket, head(target, [...authorized(), json, expecting, length(mebibytes * mebibyte)]));
    expect((await answerOn(socket))[0]).toBe(`HTTP/1.1 ${status} Payload Too Large`);
  });

  it('gets 401 at once without a key, even for a small body', async () => {
    const socket = open();
    await write(socket, head('/api/v1/workflows/', [json, expecting, length(10)]));
    const answer = await answerOn(socket);
    expect(answer[0]).toBe('HTTP/1.1 401 Unauthorized');
    expect(answer.map((line) => line.toLowerCase())).toContain('connection: close');
  });

  it('sends its body when it is to be read', async () => {
    const socket = open();
    const body = '{"name":"New","slug":"new"}';
    const headers = [...authorized(), json, expecting, 'Connection: close', length(body.length)];
    await write(socket, head('/api/v1/workflows/', headers));
    const [first] = await once(socket, 'data');
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await write(socket, body);
    expect((await answerOn(socket))[0]).toBe('HTTP/1.1 201 Created');
  });
});
