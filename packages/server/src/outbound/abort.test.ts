import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { promisedMs } from '../../test/support/by-the-clock.ts';
import { createOutboundClient } from './client.ts';

/** What a server has sent when the requesting step is cancelled; afterwards it sends nothing more. */
const stages: readonly [name: string, sent: string][] = [
  ['has not answered', ''],
  ['has begun its headers', 'HTTP/1.1 200 OK\r\nx-a: 1'],
  ['has begun its body', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhello'],
];

test.each(
  stages,
)('an aborted request ends at once, and its connection with it, when the server %s', async (_name, sent) => {
  const asked = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(sent);
      asked.resolve(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  const abort = new AbortController();
  const { port } = server.address() as AddressInfo;
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {}, body: null };
  const failed = expect(client.send(request, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  const socket = await asked.promise;
  // A connection that is reset closes, too.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const began = performance.now();
  abort.abort();
  await Promise.all([failed, closed]);
  expect(performance.now() - began).toBeLessThan(promisedMs(1000));
});
