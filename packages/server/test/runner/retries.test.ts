import { type JsonObject, StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const ok = { outputs: { output: 'done' } };

/** Fails at these calls, counted from 1. */
const failsAt =
  (...calls: readonly number[]): Action =>
  (call) => {
    if (calls.includes(call)) throw new StepError('assertion', `Not this ${call}th time.`);
    return ok;
  };
const gives =
  (items: readonly unknown[]): Action =>
  () => ({ outputs: { output: items as number[] } });

/** The steps of the facts after the last retry. */
async function pathSinceRetry(id: string): Promise<readonly string[]> {
  const { journal } = await world.detail(id);
  const last = journal.findLastIndex(({ fact }) => fact.kind === 'run_retried');
  return journal.slice(last + 1).map(({ fact }) => {
    if (fact.kind === 'run_retried') return fact.kind;
    return fact.kind === 'run_finished' ? fact.status : `${fact.frame}/${fact.nodeId}`;
  });
}

const body = 'hook -> each\neach -loop_body-> a\na -loop_return-> each\neach -> end';

describe('a retry of a run whose loop failed', () => {
  test('continues with the failed item, and repeats none before it', async () => {
    world = await World.open({ hook: gives([1, 2, 3]), a: failsAt(2) });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'keyed', end: 'pure' }, body);
    await world.settle();
    expect((await world.detail(id)).status).toBe('failed');
    await world.retry(id);
    expect(await pathSinceRetry(id)).toEqual(['each[1]/a', 'each[2]/a', '/each', '/end', 'completed']);
    expect((await world.detail(id)).finalOutput).toEqual(['done', 'done', 'done']);
  });

  test('continues in the innermost loop', async () => {
    world = await World.open({
      hook: gives([
        [1, 2],
        [3, 4],
      ]),
      a: failsAt(4),
    });
    const id = await world.start(
      { hook: 'start', outer: 'loop', inner: 'loop', a: 'keyed' },
      'hook -> outer\nouter -loop_body-> inner\ninner -loop_body-> a\na -loop_return-> inner\ninner -loop_return-> outer',
    );
    await world.settle();
    await world.retry(id);
    expect(await pathSinceRetry(id)).toEqual(['outer[1]/inner[1]/a', 'outer[1]/inner', '/outer', 'completed']);
    // The facts contain the step, so that later releases need not parse the messages of this one.
    const causes = (await world.detail(id)).journal.flatMap(({ fact }) =>
      fact.kind === 'step_failed' && fact.cause !== undefined ? [fact.cause] : [],
    );
    expect(causes).toEqual([
      { frame: 'outer[1]/inner[1]', nodeId: 'a' },
      { frame: 'outer[1]', nodeId: 'inner' },
    ]);
  });

  test('continues the other items that were running', async () => {
    const forever: Action = () => new Promise(() => undefined);
    const a: Action = (...given) => (given[0] === 1 ? forever(...given) : failsAt(2)(...given));
    world = await World.open({ hook: gives([1, 2]), a });
    const each: [string, { concurrency: number }] = ['loop', { concurrency: 2 }];
    const id = await world.start({ hook: 'start', each, a: 'keyed', end: 'pure' }, body);
    await world.settle();
    await world.retry(id);
    expect(await pathSinceRetry(id)).toEqual(['each[0]/a', 'each[1]/a', '/each', '/end', 'completed']);
  });

  test('restarts the loop if it failed as a whole', async () => {
    world = await World.open({ hook: gives([1, 2]), a: () => new Promise(() => undefined) });
    const each: [string, { timeout_seconds: number }] = ['loop', { timeout_seconds: 60 }];
    const id = await world.start({ hook: 'start', each, a: 'keyed', end: 'pure' }, body);
    await world.settle();
    world.time.advance(60_000);
    await world.settle();
    expect((await world.detail(id)).status).toBe('failed');
    await world.retry(id);
    expect((await world.detail(id)).status).toBe('running');
    expect(await pathSinceRetry(id)).toEqual(['/each']);
  });

  test('continues with its second attempt if the run timed out during that attempt', async () => {
    const forever: Action = () => new Promise(() => undefined);
    const a: Action = (...given) => (given[0] === 1 ? failsAt(1)(...given) : given[0] === 2 ? forever(...given) : ok);
    world = await World.open({ hook: gives([1]), a });
    const each: [string, JsonObject] = ['loop', { retry: { max_attempts: 2, delay_ms: 1000, jitter: false } }];
    const stubborn: [string, JsonObject] = ['keyed', { timeout_seconds: 10_000, retry: { max_attempts: 1 } }];
    const id = await world.start({ hook: 'start', each, a: stubborn, end: 'pure' }, body);
    for (const ms of [1000, 900_000]) {
      await world.settle();
      world.time.advance(ms);
    }
    await world.settle();
    expect((await world.detail(id)).failure?.code).toBe('run_timeout');
    await world.retry(id);
    expect(await pathSinceRetry(id)).toEqual(['each#2[0]/a', '/each', '/end', 'completed']);
  });

  test('can be repeated if it fails again', async () => {
    world = await World.open({ hook: gives([1, 2]), a: failsAt(2, 3) });
    const id = await world.start({ hook: 'start', each: 'loop', a: 'keyed', end: 'pure' }, body);
    await world.settle();
    await world.retry(id);
    expect((await world.detail(id)).status).toBe('failed');
    await world.retry(id);
    expect(await pathSinceRetry(id)).toEqual(['each[1]/a', '/each', '/end', 'completed']);
  });
});

test('a retry survives a crash directly after it', async () => {
  world = await World.open({ a: failsAt(1), b: failsAt(1) });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\na -> b');
  await world.settle();
  await world.retry(id);
  await world.retry(id);
  await world.crash();
  await world.settle();
  expect((await world.detail(id)).status).toBe('completed');
  expect([...world.calls]).toEqual([
    ['hook', 1],
    ['a', 2],
    ['b', 2],
  ]);
});
