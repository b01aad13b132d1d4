import { afterEach, describe, expect, test } from 'vitest';
import type { UncleanEnd } from '../../src/store/executions.ts';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** A step that never ends, like one that crashes or stalls its process. */
const endless: Action = () => new Promise(() => undefined);
const done: Action = () => ({ outputs: { output: 'done' } });

let processes = 0;

/** Kills the service while the run has the event loop, and restarts it. */
async function endsWith(executionId: string, end: Partial<UncleanEnd> = {}): Promise<void> {
  processes += 1;
  const stall = { kind: 'stall', during: 'steps', nodeId: 'bad', stalledMs: 30_250, isCertain: true } as const;
  await world.crash({ end: { executionId, processId: `process ${processes}`, ...stall, ...end } });
  await world.settle();
}

/** Lets time pass, heartbeats included. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    world.time.advance(1000);
    await world.settle();
  }
}

async function startBad(): Promise<string> {
  const id = await world.start({ hook: 'start', bad: 'keyed' }, 'hook -> bad');
  await world.settle();
  return id;
}

test('a run that stalls the process twice fails, and the error names the node', async () => {
  world = await World.open({ bad: endless });
  const id = await startBad();
  await endsWith(id);
  await pass(7);
  expect(world.calls.get('bad')).toBe(2);
  await endsWith(id);
  const { status, failure, errorNodeId, journal } = await world.detail(id);
  expect({ status, failure, errorNodeId }).toEqual({
    status: 'failed',
    errorNodeId: 'bad',
    failure: {
      code: 'run_stalled',
      message:
        "The execution crashed or stalled the service 2 times; the last time it stalled it for at least 30 s. It was performing node 'bad'.",
    },
  });
  expect(journal.map(({ fact }) => fact.kind)).toEqual(['step_succeeded', 'step_stopped', 'run_finished']);
  expect(world.calls.get('bad')).toBe(2);
});

test('a run that crashes the process twice fails, even if the node is not recorded', async () => {
  world = await World.open({ bad: endless });
  const id = await startBad();
  const crash = { kind: 'crash', nodeId: null, stalledMs: 0 } as const;
  await endsWith(id, crash);
  await pass(7);
  await endsWith(id, crash);
  expect(await world.detail(id)).toMatchObject({
    status: 'failed',
    errorNodeId: 'bad',
    failure: {
      code: 'run_lost',
      message:
        "The execution crashed or stalled the service 2 times; the last time it crashed it. It was at node 'bad'.",
    },
  });
});

test('a run that stalls the process twice while it is resumed is not resumed again', async () => {
  world = await World.open({ bad: endless });
  const id = await startBad();
  const resume = { during: 'resume', nodeId: null } as const;
  await endsWith(id, resume);
  await pass(7);
  await endsWith(id, resume);
  expect(await world.detail(id)).toMatchObject({
    status: 'failed',
    failure: { code: 'run_stalled', message: expect.stringMatching(/ It was being resumed\.$/) },
  });
});

describe('after the first stall', () => {
  test('the run continues after two seconds, and the others at once', async () => {
    world = await World.open({ bad: endless, good: endless });
    const good = await world.start({ hook: 'start', good: 'keyed' }, 'hook -> good');
    const bad = await startBad();
    await endsWith(bad);
    expect((await world.detail(good)).status).toBe('running');
    await pass(1);
    expect(Object.fromEntries(world.calls)).toMatchObject({ bad: 1, good: 2 });
    await pass(3);
    expect(world.calls.get('bad')).toBe(2);
  });

  test('the run completes if it does not stall the process again', async () => {
    world = await World.open({ bad: (call, ...rest) => (call === 1 ? endless : done)(call, ...rest) });
    const id = await startBad();
    await endsWith(id);
    await pass(7);
    expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: 'done' });
  });

  test('the same end is counted once, even if the next process dies before it removes the record', async () => {
    world = await World.open({ bad: endless });
    const id = await startBad();
    for (let time = 0; time < 3; time += 1) await endsWith(id, { processId: 'one process' });
    await pass(7);
    expect(await world.detail(id)).toMatchObject({ status: 'running' });
  });

  test('a run that is held back can be cancelled', async () => {
    world = await World.open({ bad: endless });
    const id = await startBad();
    await endsWith(id);
    await world.store.executions.cancel({ id, at: world.time.clock.now() });
    expect(await world.detail(id)).toMatchObject({ status: 'cancelled' });
    await pass(7);
    expect(world.calls.get('bad')).toBe(1);
  });

  test('a graceful restart does not start a run that is held back early, and does not forget it', async () => {
    world = await World.open({ bad: endless });
    const id = await startBad();
    await endsWith(id);
    await pass(1);
    await world.restart();
    await pass(7);
    expect(world.calls.get('bad')).toBe(2);
    expect((await world.detail(id)).status).toBe('running');
  });
});

test('runs that were in progress at the stalls of another one are not counted', async () => {
  world = await World.open({ good: endless, bad: endless });
  const good = await world.start({ hook: 'start', good: 'keyed' }, 'hook -> good');
  for (let time = 0; time < 6; time += 1) {
    const bad = await startBad();
    await endsWith(bad);
    await pass(7);
    await endsWith(bad);
    expect((await world.detail(bad)).failure?.code).toBe('run_stalled');
  }
  expect((await world.detail(good)).status).toBe('running');
});

test('a kill while a run had the event loop counts only if the run makes no progress until the next one', async () => {
  const eachOnce: Action = (call, ...rest) => (call < 3 ? endless : done)(call, ...rest);
  world = await World.open({ a: eachOnce, b: eachOnce });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\na -> b');
  await world.settle();
  const kill = { kind: 'crash', isCertain: false, nodeId: null, stalledMs: 0 } as const;
  await endsWith(id, kill);
  await pass(7);
  // Without a record: the event loop was idle.
  await world.crash();
  await pass(7);
  expect(world.calls.get('b')).toBe(1);
  await endsWith(id, kill);
  await pass(7);
  expect((await world.detail(id)).status).toBe('running');
  await endsWith(id, kill);
  expect((await world.detail(id)).failure?.code).toBe('run_lost');
});

test('a retry of a run that stalled the process resets the count', async () => {
  world = await World.open({ bad: endless });
  const id = await startBad();
  await endsWith(id);
  await pass(7);
  await endsWith(id);
  await world.retry(id);
  expect(world.calls.get('bad')).toBe(3);
  await endsWith(id);
  await pass(7);
  expect((await world.detail(id)).status).toBe('running');
});
