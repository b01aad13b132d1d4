import type { Json, JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculator } from './calculator.ts';
import { perform } from './step.testkit.ts';

const names = { trigger: { payload: { price: 2.5, text: '1 + 1', list: [1] } } };

async function result(expression?: string, input: Json = null): Promise<Json | undefined> {
  const config: JsonObject = expression === undefined ? {} : { expression };
  return (await perform(calculator, { config, input, names })).outputs.result;
}

describe('calculator', () => {
  it('calculates its config, or otherwise its input text', async () => {
    expect(await result('(2 + 3) * -4')).toBe(-20);
    expect(await result('{{ trigger.payload.price }} * 2')).toBe(5);
    expect(await result('{{ trigger.payload.price }}')).toBe(2.5);
    expect(await result('{{ trigger.payload.text }}')).toBe(2);
    expect(await result(undefined, '7 // 2 + 7 % 4 + 2 ** 3')).toBe(14);
  });

  it('agrees with JavaScript arithmetic for all integers', async () => {
    const number = fc.integer({ min: -1000, max: 1000 });
    await fc.assert(
      fc.asyncProperty(number, number, number, async (a, b, c) => {
        expect(await result(`${a} + ${b} * (${c} - ${a})`)).toBe(a + b * (c - a));
      }),
    );
  });

  it.each([
    'trigger.payload.price',
    "'a' ~ 'b'",
    "'a' + 'b'",
    '1 == 1',
    '1 < 2',
    'not 1',
    '1 and 2',
    'true',
    'none',
    '[1][0]',
    '{"a": 1}',
    '1 if 1 else 2',
    '1 | round',
    '1 in [1]',
    'constructor',
    '1.constructor',
    'process.exit(1)',
    '1; 2',
    '',
    '1 +',
    '1 / 0',
    '9 ** 999',
  ])('does not calculate %j', async (text) => {
    await expect(result(undefined, text)).rejects.toMatchObject({
      name: expect.stringMatching(/^(Step|Expression)Error$/),
    });
  });

  it('calculates integers exactly, or not at all', async () => {
    expect(await result(undefined, '10 ** 18')).toBe(1e18);
    await expect(result(undefined, '2 ** 53 + 1')).rejects.toThrow("The result of '+' has too many digits");
    expect(await result(undefined, '2.0 ** 53 + 1')).toBe(2 ** 53);
  });

  it.each(['1 < 2', '1 ~ 2', 'not 1'])('lists what it supports when it is given %j', async (text) => {
    await expect(result(undefined, text)).rejects.toThrow('only numbers, + - * / // % ** and parentheses');
  });

  it.each([null, [1], { a: 1 }, true])('does not calculate %j, which is not text', async (input) => {
    await expect(result(undefined, input)).rejects.toMatchObject({ code: 'input' });
  });
});
