import { StepError, type StepResult } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const body = 'hook -> each\neach -loop_body-> a\na -loop_return-> each\neach -> end';
const gives =
  (items: readonly number[]): Action =>
  () => ({ outputs: { output: items } });
const forever: Action = () => new Promise(() => undefined);

async function pathOf(id: string): Promise<readonly string[]> {
  const { journal } = await world.detail(id);
  return journal.flatMap(({ fact }) => {
    if (fact.kind === 'run_retried') return [];
    return fact.kind === 'run_finished' ? [fact.status] : [`${fact.frame}/${fact.nodeId}`];
  });
}

describe('a loop', () => {
  test('runs its body for each item and ends with the returned values', async () => {
    world = await World.open({ hook: gives([1, 2]) });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'keyed', end: 'pure' }, body);
    await world.settle();
    expect(await pathOf(id)).toEqual(['/hook', '/each', 'each[0]/a', 'each[1]/a', '/each', '/end', 'completed']);
    expect((await world.detail(id)).finalOutput).toEqual([1, 2]);
  });

  test('gives each iteration of a step its own key, which is the same in every attempt', async () => {
    const a: Action = (call) => {
      if (call === 1) throw new StepError('http_status', 'Not now.', { retryable: true });
      return { outputs: { output: call } };
    };
    world = await World.open({ hook: gives([1, 2]), a });
    const retry = { retry: { max_attempts: 2, delay_ms: 0 } };
    await world.start({ hook: 'start', each: 'loop', a: ['keyed', retry], end: 'pure' }, body);
    await world.settle();
    world.time.advance(10);
    await world.settle();
    const [, first, again, second, ...others] = world.keys;
    expect(again).toBe(first);
    expect(second).not.toBe(first);
    expect(others).toHaveLength(1);
  });

  test('processes as many items at once as its concurrency allows', async () => {
    world = await World.open({ hook: gives([1, 2, 3]), a: forever });
    await world.start({ hook: 'start', each: ['loop', { concurrency: 2 }], a: 'keyed', end: 'pure' }, body);
    await world.settle();
    expect(world.calls.get('a')).toBe(2);
  });

  test('aborts running items when another item ends it', async () => {
    const signals: AbortSignal[] = [];
    const a: Action = (_call, signal, input) => {
      signals.push(signal);
      return input === 1
        ? new Promise<StepResult>(() => undefined)
        : Promise.reject(new StepError('http_status', 'No.'));
    };
    world = await World.open({ hook: gives([1, 2]), a });
    const id = await world.start(
      { hook: 'start', each: ['loop', { concurrency: 2, on_error: 'stop' }], a: 'keyed', end: 'pure', h: 'pure' },
      `${body}\neach -error-> h`,
    );
    await world.settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await pathOf(id)).toEqual(['/hook', '/each', 'each[0]/a', 'each[1]/a', '/each', '/end', '/h', 'completed']);
  });

  test('of hundreds of quick steps lets the journal be written in between', async () => {
    world = await World.open({ hook: gives(Array.from({ length: 300 }, (_, index) => index)) });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'pure', end: 'pure' }, body);
    await world.settle();
    expect((await world.detail(id)).finalOutput).toHaveLength(300);
  });

  test('continues after a crash where it was, without repeating finished steps', async () => {
    let release = () => {};
    const a: Action = (call) => {
      if (call !== 2) return { outputs: { output: call } };
      return new Promise((resolve) => {
        release = () => resolve({ outputs: { output: 'too late' } });
      });
    };
    world = await World.open({ hook: gives([1, 2, 3]), a });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'keyed', end: 'pure' }, body);
    await world.settle();
    await world.crash();
    await world.settle();
    release();
    await world.settle();
    expect((await world.detail(id)).finalOutput).toEqual([1, 3, 4]);
    const [, first, second, secondAgain, third] = world.keys;
    expect(secondAgain).toBe(second);
    expect(new Set([first, second, third]).size).toBe(3);
  });
});

describe('a loop at a limit', () => {
  test.each([
    ['completes with all results if the limit of steps allows it', 20_000, 'completed'],
    ['fails at the limit of steps', 10_000, 'failed'],
  ])('over 10,000 items %s', async (_, maxSteps, status) => {
    const items = Array.from({ length: 10_000 }, (_none, index) => index);
    world = await World.open({ hook: gives(items) }, { maxSteps, maxRunSize: 2 ** 26 });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'pure', end: 'pure' }, body);
    const isOpen = async () => (await world.store.executions.byId(id))?.completedAt === null;
    while (await isOpen()) await world.settle();
    const { journal, finalOutput } = await world.detail(id);
    expect(journal.at(-1)?.fact).toMatchObject({ status });
    if (status === 'completed') expect(finalOutput).toEqual(items);
    else expect(journal.at(-1)?.fact).toMatchObject({ failure: { code: 'run_steps' } });
  });

  test('whose first item exceeds the limit of the run starts no other item', async () => {
    const a: Action = (call) => ({ outputs: { output: call === 1 ? 'x'.repeat(2000) : 'small' } });
    world = await World.open({ hook: gives([1, 2, 3]), a }, { maxRunSize: 1000 });
    const concurrent = { concurrency: 3, on_error: 'continue' };
    const id = await world.start({ hook: 'start', each: ['loop', concurrent], a: 'pure', end: 'pure' }, body);
    await world.settle();
    expect(await pathOf(id)).toEqual(['/hook', '/each', 'each[0]/a', 'failed']);
    expect((await world.store.executions.byId(id))?.status).toBe('failed');
    expect(world.calls.get('a')).toBe(1);
  });
});
