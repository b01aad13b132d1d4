import { executionLog, StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const ok = { outputs: { output: 'done' } };
/** Does not return the first time, as if its process ended meanwhile. */
const lostOnce: Action = (call) => (call === 1 ? new Promise(() => undefined) : ok);

type Extra = Readonly<Record<string, string>>;

/** A run whose step `a` was running when its process ended, and its result. */
async function crashed(type: string, extra: Extra = {}): Promise<string> {
  world = await World.open({ a: lostOnce });
  const id = await world.start({ hook: 'start', a: [type, extra], b: 'pure' }, 'hook -> a\na -> b');
  await world.settle();
  await world.crash();
  await world.settle();
  return id;
}

async function kindsOf(id: string): Promise<readonly string[]> {
  return (await world.detail(id)).journal.map(({ fact }) =>
    `${fact.kind} ${('nodeId' in fact && fact.nodeId) || ''}`.trim(),
  );
}

describe('a step with the effect once', () => {
  test('journals its start before it acts', async () => {
    let journaled: readonly string[] = [];
    const a: Action = async () => {
      journaled = await kindsOf(id);
      return ok;
    };
    world = await World.open({ a });
    const id = await world.start({ hook: 'start', a: 'once' }, 'hook -> a');
    await world.settle();
    expect(journaled).toEqual(['step_succeeded hook', 'step_started a']);
    expect((await world.detail(id)).status).toBe('completed');
  });

  test('is not performed again if its process ended meanwhile: the run fails with the reason', async () => {
    const id = await crashed('once');
    expect(await world.detail(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'step_unknown', message: expect.stringContaining('it is not known whether it acted') },
    });
    expect(world.calls.get('a')).toBe(1);
  });

  test('is performed again if its node allows it, as another attempt', async () => {
    const id = await crashed('once', { on_unknown: 'retry' });
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
    expect(await kindsOf(id)).toEqual([
      'step_succeeded hook',
      'step_started a',
      'step_failed a',
      'step_started a',
      'step_succeeded a',
      'step_succeeded b',
      'run_finished',
    ]);
  });

  test('continues along its error edge, or with the error, like any failure', async () => {
    const id = await crashed('once', { on_error: 'continue' });
    expect((await world.detail(id)).status).toBe('completed');
    expect([world.calls.get('a'), world.calls.get('b')]).toEqual([1, 1]);
  });

  test('is performed if its process ended before the start was journaled', async () => {
    world = await World.open({ hook: lostOnce });
    const id = await world.start({ hook: 'start', a: 'once' }, 'hook -> a');
    await world.settle();
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(1);
  });

  test('is not in doubt after it has ended', async () => {
    world = await World.open({ b: lostOnce });
    const id = await world.start({ hook: 'start', a: 'once', b: 'keyed' }, 'hook -> a\na -> b');
    await world.settle();
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(1);
  });

  test('is performed again if a user retries the execution', async () => {
    const id = await crashed('once');
    await world.retry(id);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });
});

describe('a step with a key', () => {
  test('is performed again, and its start is not journaled', async () => {
    const id = await crashed('keyed');
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
    expect(await kindsOf(id)).not.toContain('step_started a');
  });

  test('is not performed again if on_unknown is fail', async () => {
    const id = await crashed('keyed', { on_unknown: 'fail' });
    expect((await world.detail(id)).failure?.code).toBe('step_unknown');
    expect(world.calls.get('a')).toBe(1);
  });
});

describe('with on_unknown set to ask', () => {
  /** A user's answer. */
  async function answer(id: string, confirmed: boolean): Promise<void> {
    const [wait] = await world.store.waits.open(id);
    if (wait === undefined) throw new Error('nobody is asked');
    expect(wait.pause).toMatchObject({ kind: 'approval', prompt: expect.stringContaining("Perform 'a' again?") });
    const { frame, nodeId, stage } = wait;
    const decision = { kind: 'decision', confirmed, response: '', by: 'ada' } as const;
    await world.store.waits.answer({
      executionId: id,
      frame,
      nodeId,
      stage,
      answer: decision,
    });
    await world.settle();
  }

  test('the run waits for a user, and performs the step again after a confirmation', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    expect((await world.detail(id)).status).toBe('interrupted');
    expect(world.calls.get('a')).toBe(1);
    await answer(id, true);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });

  test('the log entry of the attempt shows who confirmed it', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    await answer(id, true);
    const run = await world.detail(id);
    const log = executionLog({ ...run, plan: null });
    expect(log.map(({ nodeId, answeredBy }) => [nodeId, answeredBy])).toEqual([
      ['hook', null],
      ['a', 'ada'],
      ['b', null],
    ]);
  });

  test('a user who declines ends the run', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    await answer(id, false);
    expect(await world.detail(id)).toMatchObject({
      status: 'cancelled',
      failure: { message: "The execution was declined at node 'a' by ada." },
    });
    expect(world.calls.get('a')).toBe(1);
  });

  test('another crash does not remove the question', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    await world.crash();
    await world.settle();
    await answer(id, true);
    expect((await world.detail(id)).status).toBe('completed');
  });
});

describe('a step that was running when another branch failed, after a retry', () => {
  /** `a` does not return the first time, `b` fails the first time; then a user retries the run. */
  async function retried(type: string, extra: Extra = {}): Promise<string> {
    let fail: () => void = () => undefined;
    const b: Action = (call) => {
      if (call > 1) return ok;
      return new Promise((_resolve, reject) => {
        fail = () => reject(new StepError('assertion', 'No.'));
      });
    };
    world = await World.open({ a: lostOnce, b });
    const id = await world.start({ hook: 'start', a: [type, extra], b: 'keyed' }, 'hook -> a\nhook -> b');
    await world.settle();
    fail();
    await world.settle();
    expect((await world.detail(id)).failure?.message).toBe("Node 'b' failed: No.");
    await world.retry(id);
    return id;
  }

  test('is not performed again if its effect is once: the run shows the reason, and another retry performs it', async () => {
    const id = await retried('once');
    const happened = 'The execution ended while this step was running: it is not known whether it acted.';
    expect((await world.detail(id)).failure).toEqual({
      code: 'step_unknown',
      message: expect.stringContaining(`Node 'a' failed: ${happened}`),
    });
    expect(world.calls.get('a')).toBe(1);
    await world.retry(id);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });

  test.each([
    ['keyed', {}],
    ['once', { on_unknown: 'retry' }],
  ])('is performed again if it is %s, with %j', async (type, extra) => {
    const id = await retried(type, extra);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });

  test('requires a confirmation if its node is set to ask', async () => {
    const id = await retried('keyed', { on_unknown: 'ask' });
    const [wait] = await world.store.waits.open(id);
    expect(wait?.pause).toMatchObject({
      kind: 'approval',
      prompt: expect.stringMatching(/^The execution ended while this step was running/),
    });
    expect(world.calls.get('a')).toBe(1);
  });
});
