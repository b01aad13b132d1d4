import { afterEach, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** The outputs of a run in these tests may have 100,000 bytes. */
const puts =
  (size: number): Action =>
  () => ({ outputs: { output: 'x'.repeat(size) } });

test('a run whose outputs exceed the limit fails with that reason', async () => {
  world = await World.open({ a: puts(60_000), b: puts(60_000) });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed', c: 'keyed' }, 'hook -> a\na -> b\nb -> c');
  await world.settle();
  expect(await world.detail(id)).toMatchObject({
    status: 'failed',
    failure: {
      code: 'run_bytes',
      message: 'The outputs of the steps exceed the limit of 100000 characters of JSON (MILLRACE_MAX_RUN_BYTES).',
    },
  });
  expect(world.calls.has('c')).toBe(false);
});

test('outputs that exceed the limit are not stored, and their step fails', async () => {
  world = await World.open({ a: puts(20_000), b: puts(100_000) });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed', c: 'keyed' }, 'hook -> a\na -> b\nb -> c');
  await world.settle();
  const { status, failure, errorNodeId, journal } = await world.detail(id);
  expect([status, failure?.code, errorNodeId]).toEqual(['failed', 'run_bytes', 'b']);
  expect(JSON.stringify(journal).length).toBeLessThan(30_000);
  const ends = journal.map(({ fact }) => ('nodeId' in fact ? [fact.kind, fact.nodeId] : fact.kind));
  expect(ends.slice(-2)).toEqual([
    ['step_failed', 'b'],
    ['run_finished', 'b'],
  ]);
  expect(world.calls.has('c')).toBe(false);
});

test('a step with more than 16 MiB of outputs fails, and its error edge is followed', async () => {
  world = await World.open({ a: puts(17 * 1_048_576), b: puts(1) }, { maxRunSize: 64 * 1_048_576 });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\na -error-> b');
  await world.settle();
  const { status, journal } = await world.detail(id);
  expect(status).toBe('completed');
  expect(journal.find(({ fact }) => fact.kind === 'step_failed')?.fact).toMatchObject({
    nodeId: 'a',
    failure: { code: 'output_bytes' },
    retryAt: null,
  });
  expect(JSON.stringify(journal).length).toBeLessThan(3_000);
});

test('outputs before a crash count after it', async () => {
  const b: Action = (call, ...rest) => (call === 1 ? new Promise(() => undefined) : puts(60_000)(call, ...rest));
  world = await World.open({ a: puts(60_000), b });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'keyed', c: 'keyed' }, 'hook -> a\na -> b\nb -> c');
  await world.settle();
  await world.crash();
  await world.settle();
  expect((await world.detail(id)).failure?.code).toBe('run_bytes');
});

test('the items of a loop count each time a loop runs over them', async () => {
  const items = ['x'.repeat(9000), 'y'.repeat(9000)];
  world = await World.open({ hook: () => ({ outputs: { output: [1, 2, 3, 4, 5, 6] } }), a: puts(1) });
  const id = await world.start(
    { hook: 'start', outer: 'loop', inner: ['loop', { items }], a: 'pure' },
    'hook -> outer\nouter -loop_body-> inner\ninner -loop_body-> a\na -loop_return-> inner\ninner -loop_return-> outer',
  );
  await world.settle();
  expect((await world.detail(id)).failure?.code).toBe('run_bytes');
  // The sixth time would exceed the limit.
  expect(world.calls.get('a')).toBe(10);
});
