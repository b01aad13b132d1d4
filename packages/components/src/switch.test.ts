import type { Json, JsonObject } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { switchNode } from './switch.ts';

const rules = [
  { id: 'hot', field: 'trigger.payload.degrees', operator: 'gt', value: 30 },
  { id: 'warm', field: 'trigger.payload.degrees', operator: 'gt', value: '{{ trigger.payload.limit }}' },
];

async function routeOf(config: JsonObject, payload: JsonObject): Promise<unknown> {
  const input: Json = { from: ['the node before'] };
  const result = await perform(switchNode, { input, config, names: { trigger: { payload } } });
  expect(result.outputs).toEqual({ output: input, route: result.route });
  return result.route;
}

describe('switch', () => {
  it.each([
    { a: [1, 'two'] },
    ['one'],
    'text',
    '',
    7,
    false,
    null,
  ])('passes its input %j on unchanged, whichever route it takes', async (input) => {
    for (const config of [{ rules: [] }, { enable_fallback: true }, { expression: '1' }]) {
      const { outputs } = await perform(switchNode, { input, config });
      expect(outputs.output).toEqual(input);
    }
    expect(switchNode.outputs[0]?.name).toBe('output');
  });
});

describe('switch with rules', () => {
  it('takes the route of the first rule that holds', async () => {
    expect(await routeOf({ rules }, { degrees: 35, limit: 20 })).toBe('hot');
    expect(await routeOf({ rules }, { degrees: '25', limit: '20' })).toBe('warm');
  });

  it('takes no route when no rule holds, or __other__ when the fallback is enabled', async () => {
    const payload = { degrees: 1, limit: 20 };
    expect(await routeOf({ rules }, payload)).toBe('');
    expect(await routeOf({ rules, enable_fallback: true }, payload)).toBe('__other__');
    expect(await routeOf({}, payload)).toBe('');
  });

  it('evaluates no rule after the one that holds', async () => {
    const broken = { id: 'x', field: 'trigger.payload.missing', operator: 'equals', value: 1 };
    expect(await routeOf({ rules: [...rules, broken] }, { degrees: 31, limit: 0 })).toBe('hot');
    await expect(routeOf({ rules: [broken, ...rules] }, { degrees: 31, limit: 0 })).rejects.toMatchObject({
      code: 'expression',
    });
  });

  it('checks whether missing values exist or are empty', async () => {
    const ask = (operator: string) => ({ rules: [{ id: 'yes', field: 'trigger.payload.a.b', operator }] });
    expect(await routeOf(ask('exists'), {})).toBe('');
    expect(await routeOf(ask('does_not_exist'), {})).toBe('yes');
    expect(await routeOf(ask('is_empty'), { a: {} })).toBe('yes');
    expect(await routeOf(ask('is_not_empty'), { a: { b: 0 } })).toBe('yes');
  });

  it('rejects a field that is not a path, even if it checks for existence', async () => {
    const config = { rules: [{ id: 'x', field: 'trigger..a', operator: 'exists' }] };
    await expect(routeOf(config, {})).rejects.toMatchObject({ code: 'expression' });
  });

  it('reads a field as a path and never as a template', async () => {
    const config = {
      rules: [{ id: 'x', field: "trigger.payload['{{ a }}']", operator: 'equals', value: '{{ 1 + 1 }}' }],
    };
    expect(await routeOf(config, { '{{ a }}': 2 })).toBe('x');
  });

  it('names the rule whose value cannot be compared', async () => {
    await expect(routeOf({ rules }, { degrees: 25, limit: null })).rejects.toMatchObject({
      code: 'config',
      message: "The value that 'gt' compares 'trigger.payload.degrees' with must be a number; it is null.",
    });
  });
});

describe('switch with an expression', () => {
  const config = { expression: 'trigger.payload.kind' };

  it('uses its text as the route', async () => {
    expect(await routeOf(config, { kind: 'billing' })).toBe('billing');
    expect(await routeOf(config, { kind: 4 })).toBe('4');
  });

  it('fails when its value is not text', async () => {
    await expect(routeOf(config, { kind: null })).rejects.toMatchObject({ code: 'config' });
  });
});

describe('the config of a switch', () => {
  it.each([
    ['rules and an expression', { rules: [], expression: 'a' }],
    ['a rule without id', { rules: [{ field: 'a', operator: 'exists' }] }],
    ['an unknown operator', { rules: [{ id: 'a', field: 'a', operator: 'like', value: 1 }] }],
    ['an operator that lacks its value', { rules: [{ id: 'a', field: 'a', operator: 'gt' }] }],
    ['an unknown key of a rule', { rules: [{ id: 'a', field: 'a', operator: 'exists', route: 'b' }] }],
  ])('must not have %s', (_what, config) => {
    expect(switchNode.config.safeParse(config).success).toBe(false);
  });
});
