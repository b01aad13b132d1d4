import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { heapInUse } from '../support/heap.ts';
import { PauseWorld, type Sketch } from './pause-world.ts';

/** The number of tested interleavings; more before a release. */
const races = Number(process.env.PAUSE_RACES ?? 150);
/** Maximum milliseconds per interleaving, on a machine with other load. */
const raceMs = 100;

const asking: Sketch = {
  nodes: { start: ['trigger_manual', {}], ask: ['human_confirmation', {}], after: ['transform', {}] },
  edges: 'start -> ask\nask -> after',
};
const key = { frame: '', nodeId: 'ask', stage: 'step' } as const;
const yes = { kind: 'decision', confirmed: true, response: '', by: 'ada' } as const;

async function open(): Promise<PauseWorld> {
  const world = await PauseWorld.open();
  onTestFinished(() => world.close());
  return world;
}

/** Turns of the event loop: within 30 a run of `asking` has been accepted, claimed, paused and parked. */
const moment = fc.nat({ max: 30 });

describe('an answer that races with the parking of its run', () => {
  test(
    'is accepted once, at any time, and the run continues',
    async () => {
      const world = await open();
      const flow = await world.addWorkflow('main', asking);
      world.startRunner();
      const answer = async (executionId: string, turns: number) => {
        await world.settle(turns);
        return world.store.waits.answer({ executionId, ...key, answer: yes, early: true });
      };
      await fc.assert(
        fc.asyncProperty(moment, moment, async (first, second) => {
          const id = await world.start(flow);
          const outcomes = await Promise.all([answer(id, first), answer(id, second)]);
          expect(outcomes.toSorted()).toEqual(['answered', 'closed']);
          await world.settle(60);
          const { status, journal } = await world.detail(id);
          expect(status).toBe('completed');
          expect(journal.filter(({ fact }) => fact.kind === 'step_resumed')).toHaveLength(1);
          expect(await answer(id, 0)).toBe('closed');
        }),
        { numRuns: races },
      );
      expect(world.activeCount).toBe(0);
    },
    races * raceMs,
  );

  test(
    'or with a cancel: the run completes or is cancelled, and never hangs',
    async () => {
      const world = await open();
      const flow = await world.addWorkflow('main', asking);
      world.startRunner();
      await fc.assert(
        fc.asyncProperty(moment, moment, async (answered, cancelled) => {
          const id = await world.start(flow);
          const at = world.time.clock.now();
          const answering = world
            .settle(answered)
            .then(() => world.store.waits.answer({ executionId: id, ...key, answer: yes, early: true }));
          const cancelling = world.settle(cancelled).then(() => world.store.executions.cancel({ id, at }));
          const [outcome] = await Promise.all([answering, cancelling]);
          await world.settle(60);
          const { status } = await world.detail(id);
          expect(['completed', 'cancelled']).toContain(status);
          if (outcome === 'closed') expect(status).toBe('cancelled');
          expect(await world.store.waits.open(id)).toEqual([]);
        }),
        { numRuns: races },
      );
      expect(world.activeCount).toBe(0);
    },
    races * raceMs,
  );
});

describe('a timer that is due', () => {
  const timed: Sketch = {
    nodes: { start: ['trigger_manual', {}], pause: ['wait', { duration: 10 }] },
    edges: 'start -> pause',
  };

  test('while the service is down wakes its run after the restart, and not before its time', async () => {
    const world = await open();
    const flow = await world.addWorkflow('main', timed);
    world.startRunner();
    const [late, early] = [await world.start(flow), await world.start(flow)];
    await world.settle();
    world.killRunner();
    world.time.advance(9000);
    world.startRunner();
    await world.settle();
    expect((await world.detail(early)).status).toBe('waiting');
    world.killRunner();
    world.time.advance(60_000);
    await world.settle();
    expect((await world.detail(late)).status).toBe('waiting');
    world.startRunner();
    await world.settle();
    for (const id of [late, early]) expect((await world.detail(id)).status).toBe('completed');
  });

  test('is not delayed by a crash, however short', async () => {
    const world = await open();
    const nodes = { start: ['trigger_manual', {}], pause: ['wait', { duration: 4 }] } as const;
    const flow = await world.addWorkflow('main', { nodes, edges: 'start -> pause' });
    world.startRunner();
    const id = await world.start(flow);
    await world.settle();
    world.time.advance(3000);
    world.killRunner();
    await world.store.executions.recover();
    world.startRunner();
    await world.settle();
    expect((await world.detail(id)).status).toBe('running');
    world.time.advance(1000);
    await world.settle();
    expect((await world.detail(id)).status).toBe('completed');
  });

  test('while its run is busy is processed at once', async () => {
    const world = await open();
    const flow = await world.addWorkflow('main', {
      nodes: {
        start: ['trigger_manual', {}],
        pause: ['wait', { duration: 8 }],
        // Short pauses keep the run in its process: for 15 s.
        a: ['wait', { duration: 5 }],
        b: ['wait', { duration: 5 }],
        c: ['wait', { duration: 5 }],
      },
      edges: 'start -> pause\nstart -> a\na -> b\nb -> c',
    });
    world.startRunner();
    const id = await world.start(flow);
    for (let second = 0; second < 11; second += 1) {
      await world.settle();
      world.time.advance(1000);
    }
    await world.settle();
    const { status, journal } = await world.detail(id);
    expect(status).toBe('running');
    expect(journal.map(({ fact }) => `${fact.kind} ${'nodeId' in fact ? fact.nodeId : ''}`)).toEqual([
      'step_succeeded start',
      'step_paused pause',
      'step_paused a',
      'step_resumed a',
      'step_succeeded a',
      'step_paused b',
      'step_resumed pause',
      'step_succeeded pause',
      'step_resumed b',
      'step_succeeded b',
      'step_paused c',
    ]);
    expect((await world.finish(id)).status).toBe('completed');
  });
});

test('a loop whose time is up ends, whatever its body waits for, and the workflows it started are cancelled', async () => {
  const world = await open();
  const flow = await world.addWorkflow('main', {
    nodes: {
      start: ['trigger_manual', {}],
      each: ['loop', { items: [1, 2], concurrency: 2, timeout_seconds: 60 }],
      call: ['workflow', { workflow: 'other' }],
    },
    edges: 'start -> each\neach -loop_body-> call\ncall -loop_return-> each',
  });
  const other = { ...asking.nodes, start: ['trigger_workflow', {}] } as const;
  await world.addWorkflow('other', { ...asking, nodes: other });
  world.startRunner();
  const id = await world.start(flow);
  await world.settle(80);
  expect((await world.detail(id)).status).toBe('waiting');
  expect(world.activeCount).toBe(0);
  world.time.advance(60_000);
  await world.settle(80);
  expect(await world.detail(id)).toMatchObject({ status: 'failed', failure: { code: 'step_timeout' } });
  const children = (await world.executionIds()).filter((each) => each !== id);
  for (const child of children) expect((await world.detail(child)).status).toBe('cancelled');
  expect(children).toHaveLength(2);
});

test('a thousand waiting runs need no worker, and less than 50 MB', async () => {
  const world = await open();
  const flow = await world.addWorkflow('main', asking);
  world.startRunner();
  // Memory that the first run allocates for all.
  await world.start(flow, { text: 'x'.repeat(10_000) });
  await world.settle();
  const before = heapInUse();
  for (let n = 0; n < 1000; n += 1) await world.start(flow, { text: 'x'.repeat(10_000) });
  for (let turn = 0; turn < 20 && world.activeCount > 0; turn += 1) await world.settle();
  expect(world.activeCount).toBe(0);
  const interrupted = { visibleTo: world.user.id, status: 'interrupted', limit: 1, offset: 0 } as const;
  expect((await world.store.executions.list(interrupted)).total).toBe(1001);
  // Measured: 14 MB, of which 10 MB are the texts of the cached runs.
  expect((heapInUse() - before) / 1e6).toBeLessThan(50);
});
