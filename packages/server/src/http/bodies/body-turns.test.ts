import { expect, it } from 'vitest';
import { isLargeBody, turnFor } from './body-turns.ts';

/** The turn of the event loop in which each of three bodies of this size may be parsed. */
async function turnsOf(bytes: number): Promise<readonly number[]> {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(Array.from({ length: 3 }, () => turnFor(Buffer.alloc(bytes)).then(() => turn)));
  isOver = true;
  return turns;
}

it('large bodies that arrive together are parsed in different turns of the event loop', async () => {
  expect(new Set(await turnsOf(131_073)).size).toBe(3);
});

it('small bodies are parsed at once', async () => {
  expect(await turnsOf(131_072)).toEqual([0, 0, 0]);
  expect(isLargeBody(undefined)).toBe(false);
});
