import { afterEach, describe, expect, test } from 'vitest';
import { World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const once = { on_error: 'continue', retry: { max_attempts: 1 } };

/** Results that no component may return, but a faulty one might. */
const outcomes: readonly (readonly [what: string, outcome: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['no outputs', {}],
  ['outputs that are not an object', { outputs: 'done' }],
  ['an invalid pause', { pause: null }],
  ['a loop without items', { iterate: { concurrency: 1, onItemError: 'stop' } }],
];

describe.each(outcomes)('a component that returns %s', (_what, outcome) => {
  test.each([
    ['immediately', () => outcome],
    ['later', async () => outcome],
  ])('%s fails its step, and the run continues if its node allows it', async (_when, give) => {
    world = await World.open({ a: give as never });
    const id = await world.start({ hook: 'start', a: ['keyed', once], b: 'pure' }, 'hook -> a\na -> b');
    await world.settle();
    const { status, journal } = await world.detail(id);
    expect(status).toBe('completed');
    const failures = journal.flatMap(({ fact }) =>
      fact.kind === 'step_failed' ? [[fact.nodeId, fact.failure.code]] : [],
    );
    expect(failures).toEqual([['a', 'step_crashed']]);
  });
});
