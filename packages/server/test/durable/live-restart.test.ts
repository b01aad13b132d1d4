import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Message, Socket } from '../support/socket.ts';
import { ServiceProcess, testKey } from './service-process.ts';

const path = '/api/v1/workflows/watched/';
const channel = 'workflow:watched';

function connect({ url }: ServiceProcess): Promise<Socket> {
  return Socket.open(`${url.replace('http', 'ws')}/ws/?token=${testKey}`);
}

async function rename(service: ServiceProcess, name: string): Promise<void> {
  expect((await service.call('PATCH', path, { name })).status).toBe(200);
}

/** Subscribes again after the last event that the client received. */
async function resubscribe(service: ServiceProcess, after: Message): Promise<Message> {
  const socket = await connect(service);
  socket.say({ type: 'subscribe', channel, ...after });
  return socket.receive();
}

test.each([
  'kill',
  'stop',
] as const)('a client learns from its subscription that it missed events at a restart: %s', async (end) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-live-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const first = await ServiceProcess.start(dataDir);
  let running = first;
  onTestFinished(() => running.stop().then(() => undefined));
  await first.call('POST', '/api/v1/workflows/', { name: 'new', slug: 'watched' });
  const socket = await connect(first);
  const { epoch } = await socket.subscribe(channel);
  await rename(first, 'seen');
  const { seq } = await socket.receive();
  await rename(first, 'also seen by those who stay');
  expect(await resubscribe(first, { after: seq, epoch })).toMatchObject({ complete: true, epoch });
  await first[end]();
  const second = await ServiceProcess.start(dataDir);
  running = second;
  await rename(second, 'missed');
  const full = await resubscribe(second, { after: seq, epoch });
  expect(full).toMatchObject({ type: 'subscribed', complete: false });
  expect(full.epoch).not.toBe(epoch);
  expect(full.seq).toBeGreaterThan(Number(seq));
  // A client that stores only the number learns it from the number, which no later process uses again.
  expect(await resubscribe(second, { after: seq })).toMatchObject({ complete: false });
  expect((await second.call('GET', path)).body).toMatchObject({ name: 'missed' });
  // From the new position on, nothing is missed.
  await rename(second, 'next');
  expect(await resubscribe(second, { after: full.seq, epoch: full.epoch })).toMatchObject({ complete: true });
});
