import { nodeConfig } from '@millrace/core';
import { afterEach, expect, test } from 'vitest';
import { PauseWorld } from './pause-world.ts';

let world: PauseWorld;
afterEach(() => world.close());

// Stored before `timeout` had a limit: one beyond the range of dates, and one whose year has five digits.
test.each([
  1e300, 3e11,
])('a stored workflow with a timeout of %d s does not start, and the error names the limit', async (timeout) => {
  world = await PauseWorld.open();
  world.startRunner();
  const config = { ...nodeConfig.parse({ extra_config: { prompt: 'Pay?', default: true } }), timeout };
  const workflow = await world.addWorkflow('main', {
    nodes: { start: ['trigger_manual', {}], ask: ['human_confirmation', {}, { config: config as never }] },
    edges: 'start -> ask',
  });
  await expect(world.start(workflow)).rejects.toThrow("Node 'ask', timeout: must be at most 31536000");
});
