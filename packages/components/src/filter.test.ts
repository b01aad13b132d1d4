import type { JsonObject } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { filter } from './filter.ts';
import { perform } from './step.testkit.ts';

async function kept(input: readonly never[] | readonly object[] | unknown[], config: JsonObject): Promise<unknown> {
  const names = { trigger: { payload: { country: 'PT' } } };
  return (await perform(filter, { input: input as JsonObject[], config, names })).outputs;
}

describe('filter', () => {
  it('splits a list by a path inside its items, and preserves the order', async () => {
    const items = [{ n: 3 }, { n: 1 }, { n: 4 }, { n: 1 }];
    expect(await kept(items, { rules: [{ field: 'n', operator: 'gt', value: 2 }] })).toEqual({
      filtered: [{ n: 3 }, { n: 4 }],
      rejected: [{ n: 1 }, { n: 1 }],
    });
  });

  it('compares with values of earlier nodes, but resolves a field only in the item', async () => {
    const rule = { field: 'address.country', operator: 'equals', value: '{{ trigger.payload.country }}' };
    const [here, there] = [{ address: { country: 'PT' } }, { address: { country: 'FR' } }];
    expect(await kept([here, there], { rules: [rule] })).toEqual({ filtered: [here], rejected: [there] });
    await expect(kept([here], { rules: [{ ...rule, field: 'trigger.payload.country' }] })).rejects.toMatchObject({
      code: 'expression',
    });
  });

  it('may pause after each item and each rule, also if every item is rejected', async () => {
    const input = Array.from({ length: 50 }, (_, index) => index);
    const rules = [0, 1].map((value) => ({ field: 'item', operator: 'lt', value }));
    let pauses = 0;
    const onPause = () => {
      pauses += 1;
    };
    for (const some of [rules.slice(0, 1), rules]) {
      pauses = 0;
      await perform(filter, { input, config: { rules: some }, onPause });
      expect(pauses).toBeGreaterThanOrEqual(input.length);
    }
  });

  it('names a plain value item', async () => {
    const rules = [{ field: 'item', operator: 'starts_with', value: 'a' }];
    expect(await kept(['ab', 'ba'], { rules })).toEqual({ filtered: ['ab'], rejected: ['ba'] });
  });

  it('accepts items that meet every rule, and evaluates no rule after one that rejects', async () => {
    const rules = [
      { field: 'price', operator: 'is_not_empty' },
      { field: 'price', operator: 'lt', value: 10 },
    ];
    const items = [{ price: 5 }, { price: 50 }, { price: null }, {}];
    expect(await kept(items, { rules })).toEqual({ filtered: [{ price: 5 }], rejected: items.slice(1) });
  });

  it('accepts every item without rules', async () => {
    expect(await kept([1, 2], {})).toEqual({ filtered: [1, 2], rejected: [] });
  });

  it('ignores keys that an item inherits', async () => {
    const rules = [{ field: 'constructor', operator: 'exists' }];
    expect(await kept([{}], { rules })).toEqual({ filtered: [], rejected: [{}] });
  });

  it('accepts only a list', async () => {
    await expect(perform(filter, { input: { a: 1 } })).rejects.toMatchObject({
      code: 'input',
      message: 'The input must be a list, but it is an object.',
    });
  });
});
