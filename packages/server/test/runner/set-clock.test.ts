import { StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

const hour = 3_600_000;
const ok = { outputs: { output: 'done' } };
let world: World;
afterEach(() => world.close());

/** Lets time pass normally. */
async function passes(ms: number): Promise<void> {
  world.time.advance(ms);
  await world.settle();
}

/** A step that ends when the test releases it. */
function heldStep(): { action: Action; letGo: () => void } {
  const ends: (() => void)[] = [];
  const action: Action = () => new Promise((resolve) => ends.push(() => resolve(ok)));
  return { action, letGo: () => ends.forEach((end) => void end()) };
}

describe.each([
  ['forward', hour],
  ['back', -24 * hour],
])('a clock that is set %s while a process owns a run', (_where, byMs) => {
  test('does not change its remaining time', async () => {
    const { action, letGo } = heldStep();
    world = await World.open({ a: action, b: () => new Promise(() => undefined) });
    const patient = { timeout_seconds: 2000 };
    const id = await world.start({ hook: 'start', a: ['keyed', patient], b: ['keyed', patient] }, 'hook -> a\na -> b');
    await world.settle();
    await passes(400_000);
    world.time.setClock(byMs);
    letGo();
    await world.settle();
    expect(world.calls.get('b')).toBe(1);
    await passes(499_000);
    expect((await world.detail(id)).status).toBe('running');
    await passes(1000);
    expect(await world.detail(id)).toMatchObject({ status: 'failed', failure: { code: 'run_timeout' } });
  });

  test('does not change the time of its next attempt', async () => {
    const failing: Action = (call) => {
      if (call === 1) throw new StepError('http_connection', 'Not now.', { retryable: true });
      return ok;
    };
    world = await World.open({ a: failing });
    const retry = { max_attempts: 2, delay_ms: 3000, jitter: false };
    const id = await world.start({ hook: 'start', a: ['keyed', { retry }] }, 'hook -> a');
    await world.settle();
    world.time.setClock(byMs);
    await passes(2000);
    expect(world.calls.get('a')).toBe(1);
    await passes(1000);
    expect(world.calls.get('a')).toBe(2);
    expect((await world.detail(id)).status).toBe('completed');
  });

  test('does not change the time limit of a loop', async () => {
    world = await World.open({ hook: () => ({ outputs: { output: ['x'] } }), a: () => new Promise(() => undefined) });
    const body = 'hook -> each\neach -loop_body-> a\na -loop_return-> each';
    const id = await world.start({ hook: 'start', each: ['loop', { timeout_seconds: 100 }], a: 'keyed' }, body);
    await world.settle();
    world.time.setClock(byMs);
    await passes(99_000);
    expect((await world.detail(id)).status).toBe('running');
    await passes(1000);
    expect(await world.detail(id)).toMatchObject({ status: 'failed', failure: { code: 'step_timeout' } });
  });
});

describe.each([
  ['forward', hour],
  ['back', -24 * hour],
])('a clock that was set %s while a process owned a run', (_where, byMs) => {
  const endless: Action = () => new Promise(() => undefined);
  const patient = { timeout_seconds: 2000 };

  test.each<[string, () => Promise<void>]>([
    ['a restart', () => world.restart()],
    ['a crash', () => world.crash()],
  ])('does not change its remaining time after %s', async (_what, ends) => {
    world = await World.open({ a: endless });
    const id = await world.start({ hook: 'start', a: ['keyed', patient] }, 'hook -> a');
    await world.settle();
    await passes(400_000);
    world.time.setClock(byMs);
    // The next heartbeat detects it.
    await passes(4000);
    await ends();
    await world.settle();
    await passes(495_000);
    expect((await world.detail(id)).status).toBe('running');
    await passes(1000);
    expect(await world.detail(id)).toMatchObject({ status: 'failed', failure: { code: 'run_timeout' } });
  });

  test('and is then corrected has no effect', async () => {
    world = await World.open({ a: endless });
    const id = await world.start({ hook: 'start', a: ['keyed', patient] }, 'hook -> a');
    await world.settle();
    for (const change of [byMs, -byMs]) {
      world.time.setClock(change);
      await passes(200_000);
    }
    await world.restart();
    await world.settle();
    await passes(499_000);
    expect((await world.detail(id)).status).toBe('running');
    await passes(1000);
    expect(await world.detail(id)).toMatchObject({ status: 'failed', failure: { code: 'run_timeout' } });
  });
});
