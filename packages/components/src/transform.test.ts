import { describe, expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { transform } from './transform.ts';

const names = { trigger: { payload: { first: 'Member', last: 'L', items: [1, 2] } } };

describe('transform', () => {
  it('outputs the value of an expression, whatever its type', async () => {
    const of = async (expression: string) =>
      (await perform(transform, { names, config: { expression } })).outputs.output;
    expect(await of('trigger.payload.items')).toEqual([1, 2]);
    expect(await of('trigger.payload.items[1] + 1')).toBe(3);
    expect(await of('none')).toBe(null);
  });

  it('builds an object key by key, and keeps the type of a text that is one expression', async () => {
    const fields = {
      name: '{{ trigger.payload.first }} {{ trigger.payload.last }}',
      items: '{{ trigger.payload.items }}',
      nested: { deep: ['{{ trigger.payload.items[0] }}'] },
      source: 'web',
    };
    const { outputs } = await perform(transform, { names, config: { fields } });
    expect(outputs.output).toEqual({ name: 'Member L', items: [1, 2], nested: { deep: [1] }, source: 'web' });
  });

  it('passes its input on when nothing is configured', async () => {
    expect(await perform(transform, { input: [1] })).toEqual({ outputs: { output: [1] } });
  });

  it('accepts an expression or fields, not both', () => {
    expect(transform.config.safeParse({ expression: 'a', fields: {} }).success).toBe(false);
  });
});
