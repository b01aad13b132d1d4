import { checkConfig, StepError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { loop } from './loop.ts';
import { attempted } from './step.testkit.ts';

describe('a loop', () => {
  it('processes its input, one item after the other', async () => {
    expect(await attempted(loop, { input: [1, 2] })).toEqual({
      iterate: { items: [1, 2], concurrency: 1, onItemError: 'stop' },
    });
  });

  it('processes the list of its config, as configured', async () => {
    const config = { items: '{{ found }}', concurrency: '{{ 1 + 2 }}', on_error: 'continue' };
    expect(await attempted(loop, { input: null, config, names: { found: ['a'] } })).toEqual({
      iterate: { items: ['a'], concurrency: 3, onItemError: 'continue' },
    });
  });

  it.each([
    [{ items: 'found' }, 'must be a list, or text with an expression in {{ }}'],
    [{ concurrency: 'x' }, 'must be a whole number, or text with an expression in {{ }}'],
    [{ batch_size: '2' }, 'must be a whole number, or text with an expression in {{ }}'],
  ])('rejects text that is not an expression: %j', (config, message) => {
    const found = checkConfig({ extra_config: config }, loop);
    expect(found.map((issue) => issue.message)).toEqual([message]);
  });

  it('splits the list into batches', async () => {
    const outcome = await attempted(loop, { input: [1, 2, 3, 4, 5], config: { batch_size: 2 } });
    expect(outcome).toMatchObject({ iterate: { items: [[1, 2], [3, 4], [5]] } });
  });

  it('accepts as many iterations as max_iterations', async () => {
    const config = { batch_size: 2, max_iterations: 2 };
    expect(await attempted(loop, { input: [1, 2, 3, 4], config })).toMatchObject({ iterate: { items: { length: 2 } } });
  });

  it.each([
    ['an input that is no list', { input: { a: 1 } }, 'The input must be a list, but it is an object.'],
    ['items that are no list', { config: { items: '{{ 1 }}' } }, "'items' must be a list, but it is a number."],
    [
      'more iterations than it allows',
      { input: [1, 2, 3], config: { max_iterations: 2 } },
      "The list needs 3 iterations, but 'max_iterations' is 2. Raise it, or shorten the list.",
    ],
    [
      'a concurrency of none',
      { input: [], config: { concurrency: '{{ 0 }}' } },
      "'concurrency' must be a whole number from 1 to 1000, but it is 0.",
    ],
  ])('rejects %s', async (_, attempt, message) => {
    const error = await attempted(loop, attempt).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StepError);
    expect(error).toMatchObject({ message, retryable: false });
  });
});
