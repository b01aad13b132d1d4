import { createHash } from 'node:crypto';
import { StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const lostOnce: Action = (call) => (call === 1 ? new Promise(() => undefined) : { outputs: { output: call } });

/** Advances time in steps, so that heartbeats happen in between. */
async function passes(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    world.time.advance(1000);
    await world.settle();
  }
}

describe('without a restart', () => {
  test('another process takes over a run when the lease of its owner expires, and not before', async () => {
    world = await World.open({ a: lostOnce });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await world.settle();
    await world.crash({ isRestart: false });
    await passes(5);
    expect(world.calls.get('a')).toBe(1);
    await passes(10);
    expect((await world.detail(id)).finalOutput).toBe(2);
    expect(Object.fromEntries(world.calls)).toEqual({ hook: 1, a: 2 });
  });

  test('a live process keeps its runs, however long a step takes', async () => {
    world = await World.open({ a: lostOnce });
    await world.start({ hook: 'start', a: ['keyed', { timeout_seconds: 600 }] }, 'hook -> a');
    await passes(60);
    expect(world.calls.get('a')).toBe(1);
  });
});

test('the Idempotency-Key of a step is the SHA-256 of its run, its frame and its node', async () => {
  world = await World.open({ hook: () => ({ outputs: { output: ['x'] } }) });
  const body = 'hook -> each\neach -loop_body-> a\na -loop_return-> each\neach -> b';
  const id = await world.start({ hook: 'start', each: 'loop', a: 'keyed', b: 'keyed' }, body);
  await world.settle();
  const keyOf = (frame: string, node: string) =>
    createHash('sha256')
      .update(JSON.stringify([id, frame, node]))
      .digest('hex');
  expect(world.keys).toEqual([keyOf('', 'hook'), keyOf('each[0]', 'a'), keyOf('', 'b')]);
});

describe('a failed step without retry settings', () => {
  const failing: Action = () => Promise.reject(new StepError('http_status', 'Not now.', { retryable: true }));

  test.each([
    ['pure', 3],
    ['keyed', 3],
    ['once', 1],
  ])('whose effect is %s has %s attempts', async (type, attempts) => {
    world = await World.open({ a: failing });
    const id = await world.start({ hook: 'start', a: type }, 'hook -> a');
    await world.settle();
    await passes(10);
    expect((await world.detail(id)).status).toBe('failed');
    expect(world.calls.get('a')).toBe(attempts);
  });

  test('is retried after one second, and again after two, before its on_error applies', async () => {
    world = await World.open({ a: failing });
    const id = await world.start(
      { hook: 'start', a: ['keyed', { on_error: 'continue' }], b: 'pure' },
      'hook -> a\na -> b',
    );
    await world.settle();
    const began = world.time.clock.now();
    await passes(4);
    const { journal, status } = await world.detail(id);
    const failures = journal.flatMap(({ fact }) => (fact.kind === 'step_failed' ? [fact.at - began] : []));
    expect(failures).toEqual([0, 1000, 3000]);
    expect(status).toBe('completed');
    expect(world.calls.get('b')).toBe(1);
  });
});
