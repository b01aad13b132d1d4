import { describe, expect, onTestFinished, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

async function open(actions: Readonly<Record<string, Action>>): Promise<World> {
  const world = await World.open(actions);
  onTestFinished(() => world.close());
  return world;
}

const nodes = { hook: 'start', a: 'keyed', b: 'keyed', c: 'keyed', m: 'pure', end: 'keyed' } as const;
/** The edge to `b` is older than that to `a`. */
const edges = 'hook -> b\nhook -> a\nhook -> c\na -> m\nb -> m\nc -> m\nm -> end';

/** Runs the graph with steps of these durations in milliseconds, and returns its journal as text, without times. */
async function journalOf(times: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const actions = Object.entries(times).map(([nodeId, ms]): [string, Action] => [
    nodeId,
    (_call, _signal, input) =>
      new Promise((resolve) => world.time.timers.after(ms, () => resolve({ outputs: { output: [input] } }))),
  ]);
  const world = await open(Object.fromEntries(actions));
  const id = await world.start(nodes, edges);
  await world.settle();
  while (world.time.advanceToNext() && (await world.detail(id)).completedAt === null) await world.settle();
  const { journal } = await world.detail(id);
  const untimely = new Set(['at', 'durationMs']);
  return journal.map(({ fact }) => JSON.stringify(fact, (key, value) => (untimely.has(key) ? undefined : value)));
}

describe('ready steps', () => {
  test('start in the order of their edges', async () => {
    const forever: Action = () => new Promise(() => undefined);
    const world = await open({ a: forever, b: forever, c: forever });
    await world.start(nodes, edges);
    await world.settle();
    expect([...world.calls.keys()]).toEqual(['hook', 'b', 'a', 'c']);
  });
});

describe('two runs with the same inputs and results', () => {
  test('write the same journal, except for times', async () => {
    const times = { a: 3, b: 1, c: 2 };
    const [one, other] = [await journalOf(times), await journalOf(times)];
    expect(one).toHaveLength(7);
    expect(other).toEqual(one);
  });

  test('write the same facts if their steps have other durations; only the order follows the ends of the steps', async () => {
    const [one, other] = [await journalOf({ a: 3, b: 1, c: 2 }), await journalOf({ a: 1, b: 5, c: 3 })];
    expect(other).not.toEqual(one);
    expect(other.toSorted()).toEqual(one.toSorted());
    expect(other.at(-1)).toBe(one.at(-1));
  });
});
