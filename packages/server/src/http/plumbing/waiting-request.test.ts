import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { createResultWaiters } from '../../services/acceptance/result-waiters.ts';
import { answerWhileOpen, whileOpen } from './waiting-request.ts';

const time = new VirtualTime();
const store = { subscribe: () => () => undefined, executions: { detail: async () => null } };
const waiters = createResultWaiters({ store, timers: time.timers });
const requestOn = (socket: Socket) => ({ raw: { socket } }) as unknown as FastifyRequest;
const wait = { moment: 'end', timeoutMs: 600_000 } as const;
afterEach(() => expect([waiters.isAwaited('run'), time.pending]).toEqual([false, 0]));

describe('waiting for a run ends', () => {
  test('when the sender disconnects', async () => {
    const socket = new Socket();
    const answer = answerWhileOpen(requestOn(socket), waiters.expect('run', wait));
    socket.destroy();
    expect(await answer).toEqual({ kind: 'late' });
  });

  test('when the sender disconnected before its run was accepted', async () => {
    const socket = new Socket();
    const expectation = waiters.expect('run', wait);
    socket.destroy();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await answerWhileOpen(requestOn(socket), expectation)).toEqual({ kind: 'late' });
  });
});

describe('work for a request is abandoned', () => {
  const abandoned = (gone: AbortSignal) =>
    new Promise<string>((resolve) => {
      if (gone.aborted) resolve('abandoned before');
      gone.addEventListener('abort', () => resolve('abandoned'));
    });

  test('when the sender disconnects', async () => {
    const socket = new Socket();
    const work = whileOpen(requestOn(socket), abandoned);
    socket.destroy();
    expect(await work).toBe('abandoned');
    expect(socket.listenerCount('close')).toBe(0);
  });

  test('when the sender has disconnected before', async () => {
    expect(await whileOpen(requestOn(new Socket().destroy()), abandoned)).toBe('abandoned before');
  });

  test('never after it has ended', async () => {
    const socket = new Socket();
    const signal = await whileOpen(requestOn(socket), async (gone) => gone);
    socket.destroy();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(signal.aborted).toBe(false);
  });
});
