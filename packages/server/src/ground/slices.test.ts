import type { SlicedWork } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { slices } from './slices.ts';

const done: string[] = [];

/** Work of a number of steps, each of which takes some milliseconds. */
function* work(name: string, steps: number, ms = 0): SlicedWork<string> {
  for (let step = 1; step <= steps; step += 1) {
    for (const until = performance.now() + ms; performance.now() < until; );
    done.push(`${name}${step}`);
    if (step < steps) yield;
  }
  return name;
}

/** The turns of the event loop until then. */
async function turnsUntil(end: Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  void end.finally(() => {
    isOver = true;
  });
  for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}

describe('sliced work', () => {
  test('that is small is done at once', async () => {
    done.length = 0;
    const result = slices.finish(work('a', 3));
    expect(done).toEqual(['a1', 'a2', 'a3']);
    expect(await result).toBe('a');
  });

  test('of several requests takes turns', async () => {
    done.length = 0;
    await Promise.all([slices.finish(work('a', 3, 2)), slices.finish(work('b', 3, 2))]);
    expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  test('of thirty requests together takes no more than a slice of each turn', async () => {
    const all = Promise.all(Array.from({ length: 30 }, () => slices.finish(work('x', 3, 4))));
    // 60 steps of 4 ms remain after the first ones: three in a turn.
    expect(await turnsUntil(all)).toBeGreaterThanOrEqual(20);
  });

  test('that fails rejects, and the others go on', async () => {
    function* failing(): SlicedWork<never> {
      yield;
      throw new Error('no');
    }
    const other = slices.finish(work('a', 3, 2));
    await expect(slices.finish(failing())).rejects.toThrow('no');
    expect(await other).toBe('a');
  });
});

test('work that is not divided has a turn of its own', async () => {
  const turns: number[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (turns.length < 3) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 3 }, () => slices.turn().then(() => turns.push(turn))));
  expect(new Set(turns).size).toBe(3);
});
