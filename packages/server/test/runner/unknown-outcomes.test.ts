import { executionLog, StepError } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const ok = { outputs: { output: 'done' } };
/** Does not come back the first time, as when its process ends meanwhile. */
const lostOnce: Action = (call) => (call === 1 ? new Promise(() => undefined) : ok);

type Extra = Readonly<Record<string, string>>;

/** A run whose step `a` was under way when its process ended, and what came of it. */
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

describe('a step that is done once', () => {
  test('says that it begins before it acts', async () => {
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

  test('is not performed again when its process ended meanwhile: the run fails and says why', async () => {
    const id = await crashed('once');
    expect(await world.detail(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'step_unknown', message: expect.stringContaining('whether it acted is not known') },
    });
    expect(world.calls.get('a')).toBe(1);
  });

  test('is performed again where its node says so, as another attempt', async () => {
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

  test('goes on by its error edge, or with the error, as with any failure', async () => {
    const id = await crashed('once', { on_error: 'continue' });
    expect((await world.detail(id)).status).toBe('completed');
    expect([world.calls.get('a'), world.calls.get('b')]).toEqual([1, 1]);
  });

  test('is performed when its process ended before that was said', async () => {
    world = await World.open({ hook: lostOnce });
    const id = await world.start({ hook: 'start', a: 'once' }, 'hook -> a');
    await world.settle();
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(1);
  });

  test('that has ended is not unknown', async () => {
    world = await World.open({ b: lostOnce });
    const id = await world.start({ hook: 'start', a: 'once', b: 'keyed' }, 'hook -> a\na -> b');
    await world.settle();
    await world.crash();
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(1);
  });

  test('is performed again when somebody retries the execution', async () => {
    const id = await crashed('once');
    await world.retry(id);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });
});

describe('a step with a key', () => {
  test('is performed again, and no beginning is journaled', async () => {
    const id = await crashed('keyed');
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
    expect(await kindsOf(id)).not.toContain('step_started a');
  });

  test('is not performed again where on_unknown is fail', async () => {
    const id = await crashed('keyed', { on_unknown: 'fail' });
    expect((await world.detail(id)).failure?.code).toBe('step_unknown');
    expect(world.calls.get('a')).toBe(1);
  });
});

describe('where on_unknown is ask', () => {
  /** A person's answer. */
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

  test('the run waits for a person, and performs the step again when they say so', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    expect((await world.detail(id)).status).toBe('interrupted');
    expect(world.calls.get('a')).toBe(1);
    await answer(id, true);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });

  test('the entry of the attempt says who had it performed again', async () => {
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

  test('a person who declines ends the run', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    await answer(id, false);
    expect(await world.detail(id)).toMatchObject({
      status: 'cancelled',
      failure: { message: "The execution was declined at node 'a' by ada." },
    });
    expect(world.calls.get('a')).toBe(1);
  });

  test('another crash does not make it forget what was asked', async () => {
    const id = await crashed('once', { on_unknown: 'ask' });
    await world.crash();
    await world.settle();
    await answer(id, true);
    expect((await world.detail(id)).status).toBe('completed');
  });
});

describe('a step that was under way when another branch failed, after a retry', () => {
  /** `a` does not come back the first time, `b` fails the first time; then somebody retries. */
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

  test('is not performed again where it is done once: the run says why, and another retry performs it', async () => {
    const id = await retried('once');
    const happened = 'The execution ended while this step was under way: whether it acted is not known.';
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
  ])('is performed again where it is %s, with %j', async (type, extra) => {
    const id = await retried(type, extra);
    expect((await world.detail(id)).status).toBe('completed');
    expect(world.calls.get('a')).toBe(2);
  });

  test('is asked about where its node says so', async () => {
    const id = await retried('keyed', { on_unknown: 'ask' });
    const [wait] = await world.store.waits.open(id);
    expect(wait?.pause).toMatchObject({
      kind: 'approval',
      prompt: expect.stringMatching(/^The execution ended while this step was under way/),
    });
    expect(world.calls.get('a')).toBe(1);
  });
});
