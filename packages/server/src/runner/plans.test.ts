import { catalogue } from '@millrace/components';
import { graph, node } from '@millrace/core/testkit';
import { expect, test } from 'vitest';
import { Plans } from './plans.ts';

const stored = { ...graph([node('start', 'trigger_manual'), node('a', 'transform')], 'start -> a'), version: 1 };

test('a version that runs all the time is validated and compiled once, however many others run', async () => {
  let [compiled, checked] = [0, 0];
  const validity = {
    errorsIn: () => {
      checked += 1;
      return [];
    },
    dependsOnOthers: () => false,
    outerErrors: async () => [],
  };
  const pinned = async () => {
    compiled += 1;
    return stored;
  };
  const plans = new Plans({ store: { graphs: { pinned } }, catalogue, validity });
  const use = async (workflowId: number) => {
    const run = { workflowId, version: 1, triggerNodeId: 'start', epoch: 1, journal: [] };
    return plans.known(run) ?? plans.load(run);
  };
  // More than are cached, each after a use of the first one.
  for (let workflowId = 1; workflowId <= 1200; workflowId += 1) {
    await use(0);
    await use(workflowId);
  }
  expect([compiled, checked]).toEqual([1201, 1201]);
});
