import { afterEach, expect, test } from 'vitest';
import { slowSteps } from '../support/slow-steps.ts';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Never ends before the service crashes. */
const interrupted: Action = (call) => (call === 1 ? new Promise(() => undefined) : { outputs: { output: 'done' } });

const names = Array.from({ length: 24 }, (_, index) => `node${index}`);

/** A run with a journal of 7 MB, whose last step is in progress. */
async function startLarge(): Promise<string> {
  const large = names.map((name): [string, Action] => [name, () => ({ outputs: { output: name.repeat(60_000) } })]);
  world = await World.open({ ...Object.fromEntries(large), last: interrupted }, { maxRunSize: 10_000_000 });
  const steps = [...names, 'last'];
  const types = Object.fromEntries(steps.map((name) => [name, 'keyed']));
  const edges = steps.map((name, index) => `${steps[index - 1] ?? 'hook'} -> ${name}`);
  const id = await world.start({ hook: 'start', ...types }, edges.join('\n'));
  while (!world.calls.has('last')) await world.settle();
  return id;
}

test('a run with a large journal continues after a crash where it was', async () => {
  const id = await startLarge();
  await world.crash();
  while (world.calls.get('last') === 1) await world.settle();
  await world.settle();
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: 'done' });
  expect(names.map((name) => world.calls.get(name))).toEqual(names.map(() => 1));
});

test('a small run does not wait while a large journal is read', async () => {
  slowSteps();
  const first = await startLarge();
  const order: string[] = [];
  world.store.subscribe({
    published: (events) => {
      for (const { event } of events) if (event.type === 'execution_completed') order.push(event.executionId);
    },
  });
  await world.crash();
  const small = await world.start({ hook: 'start' }, '');
  while (order.length < 2) await world.settle();
  expect(order).toEqual([small, first]);
});

test('a run with a large journal that is cancelled while its journal is read performs no further step', async () => {
  const id = await startLarge();
  await world.crash();
  let isRequested = false;
  while (!isRequested) {
    await new Promise((resolve) => setImmediate(resolve));
    isRequested = (await world.store.executions.byId(id))?.status === 'running';
  }
  await world.store.executions.cancel({ id, at: world.time.clock.now() });
  await world.settle();
  expect(await world.detail(id)).toMatchObject({ status: 'cancelled' });
  expect(world.calls.get('last')).toBe(1);
});

test('the outputs of steps that are ready together are written in appends of some 1 MiB', async () => {
  const output = 'x'.repeat(200_000);
  const actions = Object.fromEntries(names.map((name): [string, Action] => [name, () => ({ outputs: { output } })]));
  world = await World.open(actions, { maxRunSize: 10_000_000 });
  const ended: number[] = [];
  world.store.subscribe({
    published: (events) => {
      const count = events.filter(({ event }) => event.type === 'node_status' && event.status === 'success').length;
      if (count > 0) ended.push(count);
    },
  });
  const types = Object.fromEntries(names.map((name) => [name, 'pure']));
  const id = await world.start({ hook: 'start', ...types }, names.map((name) => `hook -> ${name}`).join('\n'));
  while ((await world.detail(id)).status !== 'completed') await world.settle();
  expect(ended.reduce((sum, count) => sum + count)).toBe(25);
  expect(Math.max(...ended)).toBeLessThanOrEqual(7);
});
