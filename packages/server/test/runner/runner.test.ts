import { StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const ok = { outputs: { output: 'done' } };
const forever: Action = () => new Promise(() => undefined);

describe('the runner', () => {
  test('performs a run to its end and stores each step once', async () => {
    world = await World.open();
    const id = await world.start({ hook: 'start', a: 'pure', b: 'keyed' }, 'hook -> a\na -> b');
    await world.settle();
    const detail = await world.detail(id);
    expect(detail.status).toBe('completed');
    expect(detail.journal.map(({ seq, fact }) => [seq, fact.kind])).toEqual([
      [1, 'step_succeeded'],
      [2, 'step_succeeded'],
      [3, 'step_succeeded'],
      [4, 'run_finished'],
    ]);
  });

  test('publishes events in order, with the end last', async () => {
    world = await World.open();
    await world.start({ hook: 'start', a: 'pure' }, 'hook -> a');
    await world.settle();
    const received = world.events.filter(({ type }) => type.startsWith('execution') || type === 'node_status');
    expect(received.map((event) => ('nodeId' in event ? event.nodeId : event.type))).toEqual([
      'execution_started',
      'hook',
      'a',
      'execution_completed',
    ]);
  });

  test('performs independent steps at the same time', async () => {
    world = await World.open({ a: forever, b: forever });
    await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\nhook -> b');
    await world.settle();
    expect([...world.calls]).toEqual([
      ['hook', 1],
      ['a', 1],
      ['b', 1],
    ]);
  });
});

describe('while more runs keep being accepted and the process is fully busy', () => {
  test('an accepted run waits until no more are accepted', async () => {
    world = await World.open();
    world.time.idleMs = 0;
    const id = await world.start({ hook: 'start' }, '');
    await world.settle();
    expect(await world.detail(id)).toMatchObject({ status: 'running', journal: [] });
    world.time.advance(5);
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
  });

  test('a run that a request waits for starts at once', async () => {
    world = await World.open();
    world.time.idleMs = 0;
    world.awaited.has = () => true;
    const id = await world.start({ hook: 'start' }, '');
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
  });
});

describe('a step', () => {
  test('that failed is retried after its delay, until it has no attempts left', async () => {
    world = await World.open({
      a: () => Promise.reject(new StepError('http_status', 'Not now.', { retryable: true })),
    });
    const retry = { retry: { max_attempts: 3, delay_ms: 1000, jitter: false } };
    const id = await world.start({ hook: 'start', a: ['keyed', retry] }, 'hook -> a');
    await world.settle();
    expect(world.calls.get('a')).toBe(1);
    world.time.advance(999);
    await world.settle();
    expect(world.calls.get('a')).toBe(1);
    world.time.advance(1);
    await world.settle();
    expect(world.calls.get('a')).toBe(2);
    world.time.advance(2000);
    await world.settle();
    const detail = await world.detail(id);
    expect(detail.status).toBe('failed');
    expect(detail.failure).toEqual({ code: 'http_status', message: "Node 'a' failed: Not now." });
    expect(world.calls.get('a')).toBe(3);
  });

  test('that cannot succeed is not retried', async () => {
    world = await World.open({
      a: () => {
        throw new StepError('assertion', 'It is not so.');
      },
    });
    const id = await world.start({ hook: 'start', a: 'pure' }, 'hook -> a');
    await world.settle();
    expect((await world.detail(id)).failure?.code).toBe('assertion');
    expect(world.calls.get('a')).toBe(1);
  });

  test.each([
    ['any error, with its own policy', { max_attempts: 3, delay_ms: 0 }, 'http_status', 3],
    ['an unexpected error', { max_attempts: 3, delay_ms: 0 }, null, 3],
    ['only transient errors, if its policy says so', { max_attempts: 3, on: 'transient' }, 'http_status', 1],
    ['permanent errors never', { max_attempts: 3, delay_ms: 0 }, 'credential_missing', 1],
  ] as const)('retries %s', async (_what, retry, code, attempts) => {
    world = await World.open({
      a: () => {
        throw code === null ? new Error('So it is.') : new StepError(code, 'So it is.');
      },
    });
    await world.start({ hook: 'start', a: ['once', { retry }] }, 'hook -> a');
    await world.settle();
    expect(world.calls.get('a')).toBe(attempts);
  });

  test('is aborted at its time limit, and fails', async () => {
    let signal: AbortSignal | undefined;
    const action: Action = (_, given) => {
      signal = given;
      return new Promise(() => undefined);
    };
    world = await World.open({ a: action });
    const limits = { timeout_seconds: 5, retry: { max_attempts: 1 } };
    const id = await world.start({ hook: 'start', a: ['keyed', limits] }, 'hook -> a');
    await world.settle();
    world.time.advance(5000);
    await world.settle();
    expect((await world.detail(id)).failure).toEqual({
      code: 'step_timeout',
      message: "Node 'a' failed: The step took longer than 5 s.",
    });
    expect(signal?.aborted).toBe(true);
  });

  test('does not run longer than the time limit of its run', async () => {
    world = await World.open({ a: forever });
    const id = await world.start({ hook: 'start', a: ['keyed', { timeout_seconds: 10_000 }] }, 'hook -> a');
    await world.settle();
    world.time.advance(900_000);
    await world.settle();
    expect((await world.detail(id)).failure?.code).toBe('run_timeout');
  });
});

describe('cancelling', () => {
  test('aborts the running step and ends the run', async () => {
    let aborted = false;
    const action: Action = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      });
    world = await World.open({ a: action });
    const id = await world.start({ hook: 'start', a: 'keyed', b: 'pure' }, 'hook -> a\na -> b');
    await world.settle();
    expect(await world.store.executions.cancel({ id, at: world.time.clock.now() })).toBe('requested');
    await world.settle();
    expect((await world.detail(id)).status).toBe('cancelled');
    expect(aborted).toBe(true);
    expect(world.calls.has('b')).toBe(false);
    expect(world.events.at(-1)).toMatchObject({ type: 'execution_cancelled', executionId: id });
  });

  test('ends a run that waits for its next attempt', async () => {
    world = await World.open({
      a: () => Promise.reject(new StepError('http_status', 'Not now.', { retryable: true })),
    });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await world.settle();
    await world.store.executions.cancel({ id, at: world.time.clock.now() });
    await world.settle();
    expect((await world.detail(id)).status).toBe('cancelled');
    world.time.advance(60_000);
    await world.settle();
    expect(world.calls.get('a')).toBe(1);
  });
});

test('a clock that is set forward does not change the owner of a run, and ends no running step', async () => {
  const signals: AbortSignal[] = [];
  world = await World.open({ a: (_call, signal) => new Promise(() => void signals.push(signal)) });
  const id = await world.start({ hook: 'start', a: 'once' }, 'hook -> a');
  await world.settle();
  world.time.setClock(60_000);
  await world.start({ hook: 'start' }, '');
  await world.settle();
  expect((await world.detail(id)).status).toBe('running');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a run that is cancelled at any moment of its start ends as cancelled', async () => {
  world = await World.open({ a: forever });
  for (let turns = 0; turns < 12; turns += 1) {
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await world.store.executions.cancel({ id, at: world.time.clock.now() });
    await world.settle();
    expect((await world.detail(id)).status, `after ${turns} turns`).toBe('cancelled');
  }
});

describe('after a crash', () => {
  test('another runner continues where the journal ends, and repeats no finished step', async () => {
    const action: Action = (call) => (call === 1 ? new Promise(() => undefined) : Promise.resolve(ok));
    world = await World.open({ b: action });
    const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\na -> b');
    await world.settle();
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(Object.fromEntries(world.calls)).toEqual({ hook: 1, a: 1, b: 2 });
  });

  test('the former owner cannot write after it resumes', async () => {
    let finishFirst: (() => void) | undefined;
    const action: Action = (call) =>
      call === 1
        ? new Promise((resolve) => (finishFirst = () => resolve({ outputs: { output: 'old' } })))
        : Promise.resolve(ok);
    world = await World.open({ a: action });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await world.settle();
    await world.crash();
    await world.settle();
    finishFirst?.();
    await world.settle();
    const detail = await world.detail(id);
    expect(detail.finalOutput).toBe('done');
    expect(detail.journal).toHaveLength(3);
  });
});

describe('a graceful stop', () => {
  test('waits for running steps, then releases the run so that it continues later', async () => {
    let finish: (() => void) | undefined;
    const action: Action = () => new Promise((resolve) => (finish = () => resolve(ok)));
    world = await World.open({ a: action });
    const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\na -> b');
    await world.settle();
    const stopped = world.runner.stop(1000);
    finish?.();
    await world.settle();
    world.time.advance(10);
    await world.settle();
    await stopped;
    expect(world.calls.has('b')).toBe(false);
    expect((await world.detail(id)).status).toBe('pending');
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(1);
  });
});

test('a slow step publishes its start once for each attempt, and a pure one never', async () => {
  world = await World.open({ b: () => Promise.reject(new StepError('http_status', 'Not now.', { retryable: true })) });
  const retry = { retry: { max_attempts: 3, delay_ms: 1000, jitter: false, backoff: 'fixed' } };
  await world.start(
    { hook: 'start', a: 'pure', b: ['keyed', retry], c: 'pure', d: 'pure' },
    'hook -> a\nhook -> b\na -> c\nc -> d',
  );
  for (let second = 0; second < 4; second += 1) {
    await world.settle();
    world.time.advance(1000);
  }
  const received = world.events.flatMap((event) =>
    event.type === 'node_status' ? [`${event.nodeId} ${event.status}`] : [],
  );
  const retried = ['b running', 'b retrying'];
  expect(received.filter((text) => text.startsWith('b'))).toEqual([...retried, ...retried, 'b running', 'b failed']);
  expect(received.filter((text) => text.endsWith('running'))).toHaveLength(3);
});
