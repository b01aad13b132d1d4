import { nodeConfig } from '@millrace/core';
import { afterEach, expect, test } from 'vitest';
import { PauseWorld } from './pause-world.ts';

let world: PauseWorld;
afterEach(() => world.close());

// Stored before `timeout` had a limit: one beyond all dates, and one whose year has five digits.
test.each([1e300, 3e11])('a question that was stored with a timeout of %d s is asked for a year', async (timeout) => {
  world = await PauseWorld.open();
  world.startRunner();
  const config = { ...nodeConfig.parse({ extra_config: { prompt: 'Pay?', default: true } }), timeout };
  const workflow = await world.addWorkflow('main', {
    nodes: { start: ['trigger_manual', {}], ask: ['human_confirmation', {}, { config: config as never }] },
    edges: 'start -> ask',
  });
  const until = world.time.clock.now() + 365 * 24 * 60 * 60 * 1000;
  const id = await world.start(workflow);
  await world.settle();
  world.time.advance(60_000);
  await world.settle();
  expect(await world.store.waits.open(id)).toMatchObject([{ nodeId: 'ask', pause: { kind: 'approval', until } }]);
  expect((await world.detail(id)).status).toBe('interrupted');
  await world.store.executions.cancel({ id, at: world.time.clock.now() });
  await world.settle();
  expect((await world.detail(id)).status).toBe('cancelled');
});
