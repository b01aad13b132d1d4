import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServiceProcess, testKey } from '../durable/service-process.ts';
import { residentMegabytes } from '../slow/window.ts';

const mebi = 1024 * 1024;
const isFull = process.env.MIXED_FULL === '1';
/** Each round opens this many connections, in batches, and sends this many large bodies at once. */
const connections = isFull ? 2000 : 300;
const largeBodies = isFull ? 300 : 20;
const atOnce = 100;
const rounds = 2;

/** What the first round may leave: compiled code and filled caches. The rounds after it leave nothing. */
const mostGrowth = 2 * mebi;

test('connections, wrong keys and large bodies leave no memory in use', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'flood-'));
  const script = new URL('./flooded-service.ts', import.meta.url);
  const service = await ServiceProcess.start(dataDir, {}, { script, args: [] });
  try {
    await flood(service);
    const before = await heapOf(service);
    for (let round = 0; round < rounds; round += 1) await flood(service);
    const growth = (await heapOf(service)) - before;
    if (isFull) console.log(JSON.stringify({ before, growth, memory: residentMegabytes(service.pid) }));
    expect(growth).toBeLessThan(mostGrowth);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** The bytes of its heap in use after garbage collection. */
async function heapOf(service: ServiceProcess): Promise<number> {
  const lines = service.printed.length;
  process.kill(service.pid, 'SIGUSR2');
  while (service.printed.length === lines) await new Promise((resolve) => setTimeout(resolve, 10));
  return Number(/heap (\d+)/.exec(service.printed.at(-1) ?? '')?.[1]);
}

async function flood(service: ServiceProcess): Promise<void> {
  const requests = [
    'GET /health/ HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/workflows/ HTTP/1.1\r\nHost: x\r\n',
    'not HTTP at all\r\n\r\n',
    'POST /api/v1/workflows/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"a":',
    `GET /ws/?token=${testKey} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  ];
  for (let opened = 0; opened < connections; opened += atOnce) {
    const sockets = await Promise.all(
      Array.from({ length: atOnce }, (_, index) => {
        const n = opened + index;
        // Each has another key, path and slug: nothing that a client chooses may stay.
        const wrongKey = `GET /api/v1/webhooks/none-${n} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mr_wrong-${n}\r\n\r\n`;
        return open(service, [...requests, wrongKey][n % (requests.length + 1)] ?? '');
      }),
    );
    for (const socket of sockets) socket.destroy();
  }
  const body = JSON.stringify({ text: 'x'.repeat(900_000) });
  await Promise.all(
    Array.from({ length: largeBodies }, (_, index) =>
      fetch(`${service.url}/api/v1/webhooks/none-${index}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', connection: 'close' },
        body,
      }).then((response) => response.text()),
    ),
  );
  // The service has noticed that the connections are closed.
  for (let turn = 0; turn < 5; turn += 1) await service.call('GET', '/health/');
}

/** Sends the beginning of a conversation; resolves when the service has answered or the bytes are sent. */
async function open({ url }: ServiceProcess, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return socket;
}
