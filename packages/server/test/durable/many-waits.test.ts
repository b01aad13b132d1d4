import { expect, onTestFinished, test } from 'vitest';
import type { Claim } from '../../src/store/executions.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store, StoreSubscriber } from '../../src/store/store.ts';
import { PauseWorld, type Sketch } from './pause-world.ts';

/** Sequential items, each with a wait that is long enough for the run to be parked. */
const patient: Sketch = {
  nodes: {
    start: ['trigger_manual', {}],
    each: ['loop', { items: '{{ trigger.payload.items }}' }],
    pause: ['wait', { duration: 10 }],
    note: ['transform', { expression: 'loop.item * 2' }],
  },
  edges: 'start -> each\neach -loop_body-> pause\npause -> note\nnote -loop_return-> each',
};

const list = (length: number) => Array.from({ length }, (_none, index) => index);

/** A store as one process sees it; counts the facts that its claims read from journals. */
class CountingStore {
  claims = 0;
  facts = 0;
  /** The run cache of the process. */
  cache: Claim['cache'];
  /** Whether another process always claims first. */
  isTooSlow = false;
  /** Delays the result of an append that parks a run. */
  parkedAfter: Promise<void> = Promise.resolve();
  readonly subscribers: StoreSubscriber[] = [];
  readonly store: Store;

  constructor(store: Store = openSqliteStore({ path: ':memory:' })) {
    const { executions } = store;
    // Everything else is shared by the processes.
    this.store = {
      ...store,
      executions: {
        ...executions,
        claim: async (params) => {
          this.cache = params.cache;
          const runs = this.isTooSlow ? [] : await executions.claim(params);
          this.claims += runs.length;
          for (const { journal } of runs) this.facts += journal.length;
          return runs;
        },
        append: async (params) => {
          const outcome = await executions.append(params);
          if (outcome === 'parked') await this.parkedAfter;
          return outcome;
        },
      },
      subscribe: (subscriber) => {
        this.subscribers.push(subscriber);
        return store.subscribe(subscriber);
      },
    };
  }
}

async function open(): Promise<{ world: PauseWorld; read: CountingStore }> {
  const read = new CountingStore();
  const world = await PauseWorld.on(read.store);
  onTestFinished(() => world.close());
  world.startRunner();
  return { world, read };
}

/** Lets the run wait this many times, each for its full duration. */
async function waits(world: PauseWorld, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.settle();
    world.time.advance(10_000);
  }
  await world.settle();
}

test('a run with many waits is claimed after each, and its journal is not read again', async () => {
  const { world, read } = await open();
  const id = await world.start(await world.addWorkflow('main', patient), { items: list(50) });
  await waits(world, 50);
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: list(50).map((n) => n * 2) });
  expect(read).toMatchObject({ claims: 51, facts: 0 });
});

test('after a crash the journal is read once', async () => {
  const { world, read } = await open();
  const id = await world.start(await world.addWorkflow('main', patient), { items: list(20) });
  await waits(world, 10);
  const { length } = (await world.detail(id)).journal;
  world.killRunner();
  world.startRunner();
  await waits(world, 10);
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: list(20).map((n) => n * 2) });
  expect(read.facts).toBe(length);
});

test('runs that alternate are not mixed up, whether they are in the cache or not', async () => {
  const { world } = await open();
  const flow = await world.addWorkflow('main', patient);
  const ids = [];
  for (const length of [3, 4, 5]) {
    ids.push(await world.start(flow, { items: list(length) }));
    await waits(world, 1);
  }
  await waits(world, 5);
  const outputs = await Promise.all(ids.map(async (id) => (await world.detail(id)).finalOutput));
  expect(outputs).toEqual([3, 4, 5].map((length) => list(length).map((n) => n * 2)));
});

test('a run that was cancelled while it waited, and is retried, starts from the remaining facts of its journal', async () => {
  const { world } = await open();
  const id = await world.start(await world.addWorkflow('main', patient), { items: list(3) });
  await waits(world, 1);
  expect(await world.store.executions.cancel({ id, at: world.time.clock.now() })).toBe('cancelled');
  const { journal: stored } = await world.detail(id);
  expect(stored.slice(-2).map(({ fact }) => fact.kind)).toEqual(['step_paused', 'run_finished']);
  const revoked = stored.slice(-2).map(({ seq }) => seq);
  const again = { id, status: 'cancelled', afterSeq: stored.length, revoked, paused: [] } as const;
  expect(await world.store.executions.retry({ runs: [again], at: world.time.clock.now() })).toBe('pending');
  await waits(world, 3);
  const { status, finalOutput, journal } = await world.detail(id);
  expect({ status, finalOutput }).toEqual({ status: 'completed', finalOutput: [0, 2, 4] });
  expect(journal.filter(({ fact }) => fact.kind === 'step_paused')).toHaveLength(4);
});

test('a process that continues a run reads the facts that another process appended meanwhile', async () => {
  const base = openSqliteStore({ path: ':memory:' });
  const reads = [new CountingStore(base), new CountingStore(base)] as const;
  const [world, other] = [await PauseWorld.on(reads[0].store), await PauseWorld.on(reads[1].store)];
  onTestFinished(() => world.close());
  onTestFinished(() => other.end());
  const id = await world.start(await world.addWorkflow('main', patient), { items: list(7) });
  world.startRunner();
  other.startRunner();
  // Which of the two claims first: at the start, and when each of the waits ends.
  for (const faster of [0, 0, 1, 1, 0, 1, 0, 0]) {
    for (const [index, read] of reads.entries()) read.isTooSlow = index !== faster;
    await world.settle();
    // A heartbeat in between claims nothing.
    for (const read of reads) read.isTooSlow = true;
    for (const { time } of [world, other]) time.advance(10_000);
  }
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: list(7).map((n) => n * 2) });
  expect(reads.map(({ claims }) => claims)).toEqual([5, 3]);
  // The run begins with three facts, and each wait but the last adds four; a process that has not had it before reads
  // all.
  expect(reads.map(({ facts }) => facts)).toEqual([15 + 23, 7 + 19]);
});

test('a run that is answered before its process learns that it is parked continues from the stored facts', async () => {
  const { world, read } = await open();
  const nodes = { ...patient.nodes, each: ['loop', { items: [7] }], pause: ['wait', { callback: true }] } as const;
  const runHasSubscribers = Promise.withResolvers<void>();
  read.parkedAfter = runHasSubscribers.promise;
  const id = await world.start(await world.addWorkflow('main', { ...patient, nodes }));
  await world.settle();
  read.isTooSlow = true;
  await world.answerAll([id]);
  for (const subscriber of read.subscribers) subscriber.answered?.([id]);
  await world.settle();
  runHasSubscribers.resolve();
  await world.settle();
  expect(world.activeCount).toBe(0);
  read.isTooSlow = false;
  for (const subscriber of read.subscribers) subscriber.pending?.();
  await world.settle();
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: [14] });
});

test('a run stays cached when the clock is set, because its waits have durations', async () => {
  const { world, read } = await open();
  const flow = await world.addWorkflow('main', {
    nodes: {
      start: ['trigger_manual', {}],
      // The run stays with its owner during this wait.
      short: ['wait', { duration: 4 }],
      long: ['wait', { duration: 10 }],
    },
    edges: 'start -> short\nshort -> long',
  });
  const id = await world.start(flow);
  await world.settle();
  world.time.setClock(3_600_000);
  world.time.advance(4000);
  await waits(world, 1);
  expect((await world.detail(id)).status).toBe('completed');
  expect(read).toMatchObject({ claims: 2, facts: 0 });
});

test('a run that was cancelled and deleted while it waited is removed from the cache', async () => {
  const { world, read } = await open();
  const nodes = { start: ['trigger_manual', {}], pause: ['wait', { callback: true }] } as const;
  const id = await world.start(await world.addWorkflow('main', { nodes, edges: 'start -> pause' }));
  await world.settle();
  expect(read.cache?.get(id)).toBeDefined();
  await world.store.executions.cancel({ id, at: world.time.clock.now() });
  await world.store.executions.remove({ ids: [id], removableBy: world.user.id });
  expect(await world.executionIds()).toEqual([]);
  // A few minutes, and a heartbeat.
  world.time.advance(10 * 60_000 + 3000);
  expect(read.cache?.get(id)).toBeUndefined();
});

test('a run that waits for longer than it is cached continues from its journal', async () => {
  const { world, read } = await open();
  const nodes = { ...patient.nodes, pause: ['wait', { duration: 3600 }] } as const;
  const id = await world.start(await world.addWorkflow('main', { ...patient, nodes }), { items: [7] });
  await world.settle();
  const { length } = (await world.detail(id)).journal;
  world.time.advance(3_600_000);
  await world.settle();
  expect(await world.detail(id)).toMatchObject({ status: 'completed', finalOutput: [14] });
  expect(read).toMatchObject({ claims: 2, facts: length });
});
