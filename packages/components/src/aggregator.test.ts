import type { Json, JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregator } from './aggregator.ts';
import { perform } from './step.testkit.ts';

const orders = [
  { total: 10, country: 'PT' },
  { total: '5.5', country: 'FR' },
  { total: 2, country: 'PT' },
];

async function aggregated(input: Json, config: JsonObject = {}): Promise<Json | undefined> {
  return (await perform(aggregator, { input, config })).outputs.aggregated;
}

describe('aggregator', () => {
  it('counts items by default, or with a field those whose field is not null', async () => {
    expect(await aggregated(orders)).toBe(3);
    expect(await aggregated([{ a: 1 }, { a: null }], { field: 'a' })).toBe(1);
  });

  it('calculates with numbers, including those written as text', async () => {
    const of = (operation: string) => aggregated(orders, { operation, field: 'total' });
    expect([await of('sum'), await of('min'), await of('max'), await of('average')]).toEqual([17.5, 2, 10, 17.5 / 3]);
  });

  it('agrees with arithmetic for every list of numbers', async () => {
    const integers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(integers, async (list) => {
        const sum = list.reduce((a, b) => a + b, 0);
        expect(await aggregated(list, { operation: 'sum' })).toBe(sum);
        expect(await aggregated(list, { operation: 'average' })).toBe(sum / list.length);
        expect(await aggregated(list, { operation: 'min' })).toBe(Math.min(...list));
        expect(await aggregated(list, { operation: 'max' })).toBe(Math.max(...list));
      }),
    );
  });

  it('accepts lists longer than the maximum number of arguments of a call', async () => {
    const long = Array.from({ length: 500_000 }, (_, index) => index);
    expect(await aggregated(long, { operation: 'max' })).toBe(499_999);
  });

  it('has the sum 0 for an empty list, and null for the other operations', async () => {
    const of = (operation: string) => aggregated([], { operation });
    expect([await of('sum'), await of('count'), await of('join')]).toEqual([0, 0, '']);
    expect([await of('min'), await of('max'), await of('average')]).toEqual([null, null, null]);
  });

  it('joins texts', async () => {
    expect(await aggregated(['a', 1, true], { operation: 'join' })).toBe('a, 1, true');
    expect(await aggregated(orders, { operation: 'join', field: 'country', separator: '' })).toBe('PTFRPT');
  });

  it('groups items, and applies every operation to each group', async () => {
    expect(await aggregated(orders, { operation: 'group', group_by: 'country', field: 'total' })).toEqual({
      PT: [10, 2],
      FR: ['5.5'],
    });
    const sums = await aggregated(orders, { operation: 'sum', group_by: 'country', field: 'total' });
    expect(sums).toEqual({ PT: 12, FR: 5.5 });
  });

  it('groups by names that have a meaning in JavaScript', async () => {
    const items = [{ k: '__proto__' }, { k: 'constructor' }, { k: '__proto__' }];
    const result = await aggregated(items, { operation: 'count', group_by: 'k' });
    expect(JSON.stringify(result)).toBe('{"__proto__":2,"constructor":1}');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });

  it('limits the length of all joined texts together', async () => {
    const items = Array.from({ length: 20 }, (_, index) => ({ group: index % 10 }));
    const config = { operation: 'join', field: 'group', group_by: 'group', separator: 'x'.repeat(500_000) };
    await expect(aggregated(items, config)).rejects.toMatchObject({ code: 'input' });
    expect(Object.keys((await aggregated(items.slice(0, 16), config)) as JsonObject)).toHaveLength(10);
  });

  it.each<[string, Json, JsonObject, string]>([
    ['an input that is no list', { a: 1 }, {}, 'input'],
    ['a sum of words', ['one'], { operation: 'sum' }, 'input'],
    ['a sum with null', [1, null], { operation: 'sum' }, 'input'],
    ['a sum past all numbers', [1e308, 1e308], { operation: 'sum' }, 'input'],
    ['joined objects', [{}], { operation: 'join' }, 'input'],
    ['groups by a list', [{ k: [] }], { operation: 'count', group_by: 'k' }, 'input'],
    ['a path that an item lacks', [{ a: 1 }, {}], { operation: 'sum', field: 'a' }, 'expression'],
    ['a path that is none', [], { operation: 'sum', field: 'a..b' }, 'expression'],
  ])('fails for %s', async (_what, input, config, code) => {
    await expect(aggregated(input, config)).rejects.toMatchObject({ code });
  });

  it('cannot group without group_by', () => {
    expect(aggregator.config.safeParse({ operation: 'group' }).success).toBe(false);
  });
});

describe('integers in an aggregator', () => {
  it('compares integers that a number cannot hold exactly, and does not add rounded ones', async () => {
    const ids = ['10000000000000000000', '9007199254740993', 9007199254740991, '9007199254740992'];
    expect(await aggregated(ids, { operation: 'max' })).toBe('10000000000000000000');
    expect(await aggregated(ids.slice(0, 2), { operation: 'min' })).toBe('9007199254740993');
    expect(await aggregated(ids, { operation: 'min' })).toBe(9007199254740991);
    for (const operation of ['sum', 'average']) {
      await expect(aggregated(ids, { operation })).rejects.toMatchObject({
        code: 'input',
        message:
          'One value has too many digits: integers outside ±(2^53 − 1) are text, because a calculation would round them.',
      });
    }
  });

  it('adds integers exactly, in any order, or not at all', async () => {
    const largest = Number.MAX_SAFE_INTEGER;
    expect(await aggregated([largest, 2, -3], { operation: 'sum' })).toBe(largest - 1);
    expect(await aggregated([largest, 2], { operation: 'average' })).toBe((largest + 1) / 2);
    expect(await aggregated([1e20, 1], { operation: 'sum' })).toBe(1e20);
    await expect(aggregated([largest, '2'], { operation: 'sum' })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(
        'The sum has too many digits: a number holds integers exactly up to ±(2^53 − 1)',
      ),
    });
  });
});
