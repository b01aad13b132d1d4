import { catalogue } from '@millrace/components';
import { graph, node } from '@millrace/core/testkit';
import { expect, test } from 'vitest';
import { Plans } from './plans.ts';

const stored = { ...graph([node('start', 'trigger_manual'), node('a', 'transform')], 'start -> a'), version: 1 };

test('the plans of the versions that are run all the time are compiled once, however many others are', async () => {
  let compiled = 0;
  const pinned = async () => {
    compiled += 1;
    return stored;
  };
  const plans = new Plans({ store: { graphs: { pinned } }, catalogue });
  const use = async (workflowId: number) => {
    const run = { workflowId, version: 1, triggerNodeId: 'start' };
    return plans.known(run) ?? plans.load(run);
  };
  // More than are kept, and one of them in between each time.
  for (let workflowId = 1; workflowId <= 1200; workflowId += 1) {
    await use(0);
    await use(workflowId);
  }
  expect(compiled).toBe(1201);
});
