import { type Json, type JsonObject, StepError, type StepStopped } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const never = new Promise<never>(() => undefined);
const forever: Action = () => never;
const gives =
  (output: Json): Action =>
  () => ({ outputs: { output } });

async function passes(ms: number): Promise<void> {
  await world.settle();
  world.time.advance(ms);
  await world.settle();
}

async function cancel(id: string): Promise<void> {
  await world.store.executions.cancel({ id, at: world.time.clock.now() });
  await world.settle();
}

async function stoppedSteps(id: string): Promise<readonly StepStopped[]> {
  const { journal } = await world.detail(id);
  return journal.flatMap(({ fact }) => (fact.kind === 'step_stopped' ? [fact] : []));
}

const timeUp = 'The execution took longer than max_execution_seconds allows.';

describe('a run that exceeds its time limit', () => {
  test('names its running node, which has a log entry with its start time', async () => {
    world = await World.open({ a: forever });
    const began = world.time.clock.now();
    const id = await world.start({ hook: 'start', a: ['keyed', { timeout_seconds: 10_000 }] }, 'hook -> a');
    await passes(900_000);
    const { status, failure, journal } = await world.detail(id);
    expect([status, failure]).toEqual(['failed', { code: 'run_timeout', message: `${timeUp} It was at node 'a'.` }]);
    expect(journal.at(-1)?.fact).toMatchObject({ kind: 'run_finished', nodeId: 'a' });
    expect(await stoppedSteps(id)).toEqual([
      {
        kind: 'step_stopped',
        nodeId: 'a',
        frame: '',
        attempt: 1,
        startedAt: began,
        at: began + 900_000,
        failure: {
          code: 'run_timeout',
          message: `The step was stopped before it finished. ${timeUp} It was at node 'a'.`,
        },
      },
    ]);
  });

  test('names some of the running iterations, and each has a log entry', async () => {
    world = await World.open({ hook: gives([1, 2, 3, 4, 5]), a: forever });
    const nodes = { hook: 'start', each: ['loop', { concurrency: 5 }] as [string, { concurrency: number }] };
    const id = await world.start(
      { ...nodes, a: ['keyed', { timeout_seconds: 10_000 }] },
      'hook -> each\neach -loop_body-> a\na -loop_return-> each',
    );
    await passes(900_000);
    const { failure, journal } = await world.detail(id);
    const where = "nodes 'a' in each[0], 'a' in each[1], 'a' in each[2] and 2 more";
    expect(failure?.message).toBe(`${timeUp} It was at ${where}.`);
    expect(journal.at(-1)?.fact).toMatchObject({ nodeId: 'each' });
    expect((await stoppedSteps(id)).map(({ frame }) => frame)).toEqual([0, 1, 2, 3, 4].map((n) => `each[${n}]`));
  });

  test('names the node that waits for its next attempt', async () => {
    const error = new StepError('http_status', 'Not now.', { retryable: true });
    const failing: Action = () => new Promise((_, reject) => world.time.timers.after(897_000, () => reject(error)));
    world = await World.open({ a: failing });
    // With a longer delay the run would be parked, which does not count as its time.
    const retry = { max_attempts: 2, delay_ms: 4000, jitter: false };
    const id = await world.start({ hook: 'start', a: ['keyed', { retry, timeout_seconds: 10_000 }] }, 'hook -> a');
    await passes(897_000);
    await passes(3000);
    expect((await world.detail(id)).failure?.message).toBe(`${timeUp} It was at node 'a'.`);
    expect(await stoppedSteps(id)).toEqual([]);
  });
});

/**
 * Long enough that a run with a few seconds left has none when it is taken over, because its lease counts as its time.
 */
const outage = { forMs: 20_000 };
const slow = ['keyed', { timeout_seconds: 10_000 }] as [string, JsonObject];

describe('a run without an owner', () => {
  test('that exceeds its time limit meanwhile has a log entry for the running step', async () => {
    world = await World.open({ a: forever });
    await passes(5000);
    const began = world.time.clock.now();
    const id = await world.start({ hook: 'start', a: slow, b: 'pure' }, 'hook -> a\na -> b');
    await passes(895_000);
    await world.crash(outage);
    await world.settle();
    expect((await world.detail(id)).failure?.message).toBe(`${timeUp} It was at node 'a'.`);
    expect(await stoppedSteps(id)).toMatchObject([
      { nodeId: 'a', attempt: 1, startedAt: began, at: began + 915_000, failure: { code: 'run_timeout' } },
    ]);
    expect(world.calls.get('a')).toBe(1);
  });

  test('has no entry for a step that journals its start, and had not started', async () => {
    world = await World.open({ a: forever });
    const id = await world.start({ hook: 'start', a: slow, b: 'once' }, 'hook -> a\nhook -> b');
    await passes(895_000);
    await world.crash(outage);
    await world.settle();
    const steps = await stoppedSteps(id);
    expect(steps.map(({ nodeId }) => nodeId)).toEqual(['a']);
  });

  test('that has a failed attempt uses the start of the next one in the log entry', async () => {
    const action: Action = (call) =>
      call === 1 ? Promise.reject(new StepError('http_status', 'Not now.', { retryable: true })) : never;
    world = await World.open({ a: action });
    const retry = { max_attempts: 2, delay_ms: 1000, jitter: false };
    const began = world.time.clock.now();
    const id = await world.start({ hook: 'start', a: ['keyed', { retry, timeout_seconds: 10_000 }] }, 'hook -> a');
    await passes(1000);
    await passes(894_000);
    await world.crash(outage);
    await world.settle();
    expect(await stoppedSteps(id)).toMatchObject([{ attempt: 2, startedAt: began + 1000 }]);
  });
});

describe('a run that is cancelled', () => {
  test('has a log entry for each running step, and publishes it', async () => {
    world = await World.open({ a: forever, b: forever });
    const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\nhook -> b');
    await world.settle();
    await cancel(id);
    const message = 'The step was stopped before it finished. The execution was cancelled.';
    expect((await stoppedSteps(id)).map(({ nodeId, failure }) => [nodeId, failure])).toEqual([
      ['a', { code: 'run_cancelled', message }],
      ['b', { code: 'run_cancelled', message }],
    ]);
    expect(world.events.slice(-3)).toMatchObject([
      { type: 'node_status', nodeId: 'a', status: 'failed' },
      { type: 'node_status', nodeId: 'b', status: 'failed' },
      { type: 'execution_cancelled' },
    ]);
  });

  test('has the entry once if its process ends before it is stored', async () => {
    world = await World.open({ a: forever });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await world.settle();
    const cancelled = world.store.executions.cancel({ id, at: world.time.clock.now() });
    await world.crash();
    await cancelled;
    await world.settle();
    expect((await world.detail(id)).journal.map(({ fact }) => fact.kind)).toEqual([
      'step_succeeded',
      'step_stopped',
      'run_finished',
    ]);
  });
});

test('steps that run in parallel with a failing node have a log entry, with another error code', async () => {
  const fails: Action = () => Promise.reject(new StepError('http_status', 'The server answered 500.'));
  world = await World.open({ a: forever, b: fails });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\nhook -> b');
  await world.settle();
  expect(await stoppedSteps(id)).toMatchObject([
    {
      nodeId: 'a',
      failure: {
        code: 'step_stopped',
        message: "The step was stopped before it finished. Node 'b' failed: The server answered 500.",
      },
    },
  ]);
});

test('steps of a loop that run in parallel with a failing item have a log entry', async () => {
  const action: Action = (call) => (call === 2 ? Promise.reject(new StepError('assertion', 'No.')) : never);
  world = await World.open({ hook: gives([1, 2]), a: action });
  const id = await world.start(
    { hook: 'start', each: ['loop', { concurrency: 2 }], a: 'keyed' },
    'hook -> each\neach -loop_body-> a\na -loop_return-> each',
  );
  await world.settle();
  const { journal } = await world.detail(id);
  expect(journal.map(({ fact }) => `${fact.kind} ${'frame' in fact ? fact.frame : ''}`.trim())).toEqual([
    'step_succeeded',
    'loop_started',
    'step_stopped each[0]',
    'step_failed each[1]',
    'step_failed',
    'run_finished',
  ]);
});

test('a retry of a run that exceeded its time limit performs the running steps again', async () => {
  const action: Action = (call) => (call === 1 ? never : { outputs: { output: 'done' } });
  world = await World.open({ hook: gives([1]), a: action });
  const id = await world.start({ hook: 'start', a: ['keyed', { timeout_seconds: 10_000 }] }, 'hook -> a');
  await passes(900_000);
  await world.retry(id);
  expect((await world.detail(id)).status).toBe('completed');
});
