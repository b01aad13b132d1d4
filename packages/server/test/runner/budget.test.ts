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
