import { afterEach, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** A step that never ends, like one that crashes its process. */
const endless: Action = () => new Promise(() => undefined);

/** Kills and restarts the service this many times. */
async function crashes(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.crash();
    await world.settle();
  }
}

test('a run that crashes the service each time it is performed is ended after the tenth crash, and the error names its node', async () => {
  world = await World.open({ bad: endless });
  const id = await world.start({ hook: 'start', bad: 'keyed' }, 'hook -> bad');
  await world.settle();
  await crashes(9);
  expect(await world.detail(id)).toMatchObject({ status: 'running', failure: null });
  await crashes(1);
  const { status, failure, journal } = await world.detail(id);
  expect({ status, failure }).toEqual({
    status: 'failed',
    failure: {
      code: 'run_lost',
      message:
        "The service crashed 10 times in a row during the execution, which made no progress in between. It was at node 'bad'. Its steps may need more memory than the service has.",
    },
  });
  expect(journal.map(({ fact }) => fact.kind)).toEqual(['step_succeeded', 'step_stopped', 'run_finished']);
  expect(world.calls.get('bad')).toBe(10);
});

test('a run that makes progress between the crashes, however slowly, continues', async () => {
  const ninth: Action = (call) => (call < 9 ? new Promise(() => undefined) : { outputs: { output: call } });
  world = await World.open({ a: ninth, b: ninth, c: ninth });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed', c: 'keyed' }, 'hook -> a\na -> b\nb -> c');
  await world.settle();
  await crashes(24);
  expect(await world.detail(id)).toMatchObject({ status: 'completed' });
});

test('graceful restarts of the service do not count', async () => {
  world = await World.open({ long: endless });
  const id = await world.start({ hook: 'start', long: 'keyed' }, 'hook -> long');
  await world.settle();
  for (let time = 0; time < 15; time += 1) {
    await world.restart();
    await world.settle();
  }
  expect(await world.detail(id)).toMatchObject({ status: 'running' });
  expect(world.calls.get('long')).toBe(16);
});

test('runs that crash along with it continue: from the third crash on, one quarantined run runs at a time', async () => {
  const perilous = new Set<string>();
  world = await World.open({
    bad: (call, signal, input) => {
      perilous.add('bad');
      return endless(call, signal, input);
    },
    // While the bad one is running, no other run can end.
    good: (_call, signal, input) => (perilous.has('bad') ? endless(0, signal, input) : { outputs: { output: input } }),
  });
  const bad = await world.start({ hook: 'start', bad: 'keyed' }, 'hook -> bad');
  const good: string[] = [];
  for (let run = 0; run < 5; run += 1) good.push(await world.start({ hook: 'start', good: 'keyed' }, 'hook -> good'));
  await world.settle();
  for (let time = 0; time < 30; time += 1) {
    perilous.clear();
    await crashes(1);
    world.time.advance(3000);
    await world.settle();
  }
  expect(await world.detail(bad)).toMatchObject({ status: 'failed', failure: { code: 'run_lost' } });
  for (const id of good) expect(await world.detail(id)).toMatchObject({ status: 'completed' });
});

test('a retry resets the count', async () => {
  world = await World.open({
    bad: (call) => (call <= 15 ? new Promise(() => undefined) : { outputs: { output: 'done' } }),
  });
  const id = await world.start({ hook: 'start', bad: 'keyed' }, 'hook -> bad');
  await world.settle();
  await crashes(10);
  await world.retry(id);
  await crashes(5);
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: 'done' });
});
