import { catalogue } from '@millrace/components';
import { graph, node } from '@millrace/core/testkit';
import { expect, test } from 'vitest';
import { idleServices } from '../../test/support/idle-parts.ts';
import { Turns } from '../ground/turns.ts';
import { Plans } from './plans.ts';

const stored = { ...graph([node('start', 'trigger_manual'), node('a', 'transform')], 'start -> a'), version: 1 };

/** Shares an event loop on which each look at the clock finds that `msPerLook` have passed. */
function turnsOf(msPerLook = 0, taken = { count: 0 }): Turns {
  let now = 0;
  const monotonic = (): number => {
    now += msPerLook;
    return now;
  };
  const soon = (fn: () => void): void => {
    taken.count += 1;
    setImmediate(fn);
  };
  return new Turns({ clock: { monotonic }, timers: { soon } });
}

test('a version that runs all the time is validated and compiled once, however many others run', async () => {
  let [compiled, checked] = [0, 0];
  const validity = {
    *errorsIn() {
      checked += 1;
      yield;
      return [];
    },
    dependsOnOthers: () => false,
    outerErrors: async () => [],
  };
  const pinned = async () => {
    compiled += 1;
    return stored;
  };
  const plans = new Plans({ store: { graphs: { pinned } }, catalogue, validity, turns: turnsOf() }, 100_000);
  const use = async (workflowId: number) => {
    const run = { workflowId, version: 1, triggerNodeId: 'start', toNodeId: null, epoch: 1, journal: [] };
    return plans.known(run) ?? plans.load(run);
  };
  // More than are cached, each after a use of the first one.
  for (let workflowId = 1; workflowId <= 100; workflowId += 1) {
    await use(0);
    await use(workflowId);
  }
  expect([compiled, checked]).toEqual([101, 101]);
});

test('plans of large configs are cached only within the limit of memory', async () => {
  let compiled = 0;
  const config = { extra_config: { mapping: { text: 'x'.repeat(100_000) } } };
  const large = {
    ...graph([node('start', 'trigger_manual'), node('a', 'transform', config)], 'start -> a'),
    version: 1,
  };
  const pinned = async () => {
    compiled += 1;
    return large;
  };
  const plans = new Plans(
    { store: { graphs: { pinned } }, catalogue, validity: idleServices.validity, turns: turnsOf() },
    500_000,
  );
  const use = async (workflowId: number) =>
    plans.load({ workflowId, version: 1, triggerNodeId: 'start', toNodeId: null, epoch: 1, journal: [] });
  for (const workflowId of [1, 2, 1, 2]) await use(workflowId);
  expect(compiled).toBe(2);
  for (const workflowId of [3, 4, 1]) await use(workflowId);
  expect(compiled).toBe(5);
});

test('a large version is validated and compiled in several turns of the event loop', async () => {
  const nodes = Array.from({ length: 200 }, (_, index) => node(`a${index}`, 'transform'));
  const edges = nodes.map(({ nodeId }) => `start -> ${nodeId}`);
  const large = { ...graph([node('start', 'trigger_manual'), ...nodes], edges.join('\n')), version: 1 };
  const taken = { count: 0 };
  const turns = turnsOf(1, taken);
  const parts = { store: { graphs: { pinned: async () => large } }, catalogue, validity: idleServices.validity };
  const plans = new Plans({ ...parts, turns });
  await plans.load({ workflowId: 1, version: 1, triggerNodeId: 'start', toNodeId: null, epoch: 1, journal: [] });
  expect(taken.count).toBeGreaterThan(10);
});
