import { StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';
import { PauseWorld } from './pause-world.ts';

const hour = 3_600_000;
let world: World | PauseWorld;
afterEach(() => world.close());

/** A world whose step `a` must be retried once after an hour. */
async function rejectedOnce(): Promise<World> {
  const opened = await World.open({
    a: (call) => {
      if (call === 1) throw new StepError('model_rate_limited', 'Later.', { retryable: true, retryAfterMs: hour });
      return { outputs: { output: 'done' } };
    },
  });
  world = opened;
  return opened;
}

/** Lets time pass, a minute at a time: what a timer starts must end before the next one fires. */
async function pass(there: World, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    there.time.advance(Math.min(left, 60_000));
    await there.settle();
  }
}

describe('a run whose next attempt is far in the future', () => {
  test('leaves its process, and this time does not count against its limit', async () => {
    const there = await rejectedOnce();
    const id = await there.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await there.settle();
    expect((await there.detail(id)).status).toBe('waiting');
    expect(there.runner.activeCount).toBe(0);
    await pass(there, hour - 1000);
    expect(there.calls.get('a')).toBe(1);
    await pass(there, 62_000);
    expect(there.calls.get('a')).toBe(2);
    // Its limit is 15 minutes.
    expect((await there.detail(id)).status).toBe('completed');
  });

  test('keeps its scheduled time after a crash, and can be cancelled', async () => {
    const there = await rejectedOnce();
    const start = () => there.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    const id = await start();
    await there.settle();
    await there.crash({ forMs: hour / 2 });
    await there.settle();
    expect((await there.detail(id)).status).toBe('waiting');
    await pass(there, hour / 2 + 61_000);
    expect(there.calls.get('a')).toBe(2);
    expect((await there.detail(id)).status).toBe('completed');
    there.calls.clear();
    const other = await start();
    await there.settle();
    await there.store.executions.cancel({ id: other, at: there.time.clock.now() });
    expect((await there.detail(other)).status).toBe('cancelled');
    expect(await there.store.waits.nextDue()).toBeNull();
  });

  test('continues as soon as a question in another branch is answered', async () => {
    const there = await PauseWorld.open();
    world = there;
    there.startRunner();
    const retry = { max_attempts: 2, delay_ms: 600_000, max_delay_ms: 600_000, jitter: false };
    const workflow = await there.addWorkflow('main', {
      nodes: {
        start: ['trigger_manual', {}],
        ask: ['human_confirmation', { prompt: 'Go?' }],
        after: ['template', { template: 'asked' }],
        fetch: ['http_request', { url: 'https://example.com', retry, on_error: 'continue' }],
      },
      edges: 'start -> ask\nask -> after\nstart -> fetch',
    });
    const id = await there.start(workflow);
    await there.settle();
    expect((await there.detail(id)).status).toBe('interrupted');
    expect(there.activeCount).toBe(0);
    await there.answerAll([id]);
    await there.settle();
    const after = (await there.detail(id)).journal.filter(({ fact }) => 'nodeId' in fact && fact.nodeId === 'after');
    expect(after).toMatchObject([{ fact: { kind: 'step_succeeded' } }]);
    expect((await there.detail(id)).status).toBe('waiting');
    for (let minute = 0; minute < 11; minute += 1) {
      there.time.advance(60_000);
      await there.settle();
    }
    expect((await there.detail(id)).status).toBe('completed');
  });
});

test('a service that was down for longer than the time limit of a run continues the run', async () => {
  const there = await World.open({
    a: (call) => (call === 1 ? new Promise(() => undefined) : { outputs: { output: 'done' } }),
  });
  world = there;
  const id = await there.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
  await there.settle();
  await there.crash({ forMs: hour });
  await there.settle();
  expect(await there.detail(id)).toMatchObject({ status: 'completed', failure: null });
});

test('runs that wait for their next attempt do not block others', async () => {
  const there = await World.open({
    a: () => Promise.reject(new StepError('model_rate_limited', 'Later.', { retryable: true, retryAfterMs: hour })),
  });
  world = there;
  // As many as a process owns at once.
  for (let count = 0; count < 1000; count += 1) await there.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
  for (let round = 0; round < 30; round += 1) await there.settle();
  const id = await there.start({ hook: 'start' }, '');
  await there.settle();
  expect((await there.detail(id)).status).toBe('completed');
});
