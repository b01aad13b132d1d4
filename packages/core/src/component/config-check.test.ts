import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../test/graphs.ts';
import { expressible } from '../base/expressible.ts';
import type { Component } from './component.ts';
import { checkConfig } from './config-check.ts';
import { configSchemaOf } from './config-schema.ts';

const config = z.strictObject({
  method: z.enum(['GET', 'POST']).default('GET'),
  nested: z.strictObject({ first: z.string(), second: z.int().optional() }).optional(),
  rules: z.array(z.strictObject({ operator: z.enum(['equals']), value: z.json().optional() })).default([]),
  either: z.union([z.enum(['a', 'b']), z.strictObject({ count: z.int() })]).optional(),
});

function typeWith(extra: Partial<Component<never>>): Component<never> {
  const base = catalogue.get('step');
  if (base === undefined) throw new Error('the test catalogue has no step');
  return { ...base, config, ...extra };
}

function problems(extraConfig: object, component = typeWith({})): string[] {
  return checkConfig({ extra_config: extraConfig }, component).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
}

describe('a config', () => {
  it('may contain nothing, the component’s own keys, and the policies', () => {
    expect(checkConfig({}, typeWith({}))).toEqual([]);
    expect(
      problems({ method: 'POST', nested: { first: 'x' }, on_error: 'continue', retry: { max_attempts: 2 } }),
    ).toEqual([]);
  });

  it('lists 100 issues, and says that there are more', () => {
    const many = (text: string) => Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, text]));
    const free = typeWith({ config: z.record(z.string(), z.string()) });
    for (const found of [problems(many('x')), problems(many('{{ 1 + }}'), free)]) {
      expect(found).toHaveLength(101);
      expect(found.at(-1)).toBe(
        'extra_config: has more issues than the 100 that are listed: fix these and check again',
      );
    }
  });

  it('reports a URL with too many expressions', () => {
    const addressed = typeWith({ config: z.strictObject({ url: z.string() }), urls: ['url'] });
    const url = (count: number) => `https://api.example/${'{{ run.id }}'.repeat(count)}`;
    expect(problems({ url: url(100) }, addressed)).toEqual([]);
    expect(problems({ url: url(101) }, addressed)).toEqual([
      expect.stringContaining('A URL has at most 100 expressions.'),
    ]);
  });

  it('reports every wrong key, with a suggestion', () => {
    expect(
      problems({ metod: 1, nested: { frst: 'x', first: 'y' }, rules: [{ operatr: 'equals', operator: 'equals' }] }),
    ).toEqual([
      "extra_config.nested.frst: Unknown key 'frst'. Did you mean 'first'?",
      "extra_config.rules.0.operatr: Unknown key 'operatr'. Did you mean 'operator'?",
      "extra_config.metod: Unknown key 'metod'. Did you mean 'method'?",
    ]);
  });

  it('reports missing keys, and errors inside the intended alternative', () => {
    expect(problems({ nested: {} })).toEqual(['extra_config.nested.first: Field required']);
    expect(problems({ either: { count: 'x' } })).toEqual(['extra_config.either.count: must be a number, not text']);
  });

  it('describes the values allowed in place of an expression', () => {
    const shape = { method: expressible(z.enum(['GET', 'POST'])), limit: expressible(z.int()) };
    const component = typeWith({ config: z.strictObject(shape).partial() });
    expect(problems({ method: '{{ a }}', limit: 5 }, component)).toEqual([]);
    expect(problems({ method: 'FETCH', limit: 'many' }, component)).toEqual([
      'extra_config.method: must be one of "GET", "POST", or text with an expression in {{ }}',
      'extra_config.limit: must be a whole number, or text with an expression in {{ }}',
    ]);
    expect(problems({ method: 5, limit: true }, component)).toEqual([
      'extra_config.method: must be one of "GET", "POST", or text with an expression in {{ }}',
      'extra_config.limit: must be a whole number, or text with an expression in {{ }}',
    ]);
    expect(JSON.stringify(configSchemaOf(component))).not.toContain('includes');
  });

  it('lists the alternatives if none of them was intended', () => {
    expect(problems({ either: 5 })).toEqual(['extra_config.either: must be one of "a", "b", or an object']);
    const component = typeWith({ config: z.strictObject({ until: z.union([z.string().min(1), z.number()]) }) });
    expect(problems({ until: true }, component)).toEqual(['extra_config.until: must be text, or a number']);
  });

  it('accepts policies only for steps', () => {
    const { run: _run, ...noStep } = typeWith({});
    expect(problems({ on_error: 'continue' }, noStep)).toEqual([
      `extra_config.on_error: Unknown key 'on_error'. Only steps have policies, and '${noStep.type}' never runs.`,
    ]);
  });

  it('reports the correct level of a key that all nodes share', () => {
    const beside =
      "extra_config.temperature: Unknown key 'temperature'. Move it out of 'extra_config', to the level above.";
    expect(problems({ temperature: 1 })).toEqual([beside]);
    const asks = catalogue.get('asks');
    const received = "Unknown key 'prompt'. Use 'system_prompt' instead, outside of 'extra_config'.";
    expect(problems({ prompt: 'x' }, asks && { ...asks, config })).toEqual([`extra_config.prompt: ${received}`]);
    expect(problems({ prompt: 'x' })).toEqual(["extra_config.prompt: Unknown key 'prompt'."]);
  });

  it('does not treat inherited properties as policies', () => {
    expect(problems({ constructor: 1 })).toEqual(["extra_config.constructor: Unknown key 'constructor'."]);
  });

  it('must have common keys of the right type', () => {
    const issues = checkConfig({ temperature: 'hot', system_prompt: null }, typeWith({}));
    expect(issues.map(({ path }) => path)).toEqual([['system_prompt'], ['temperature']]);
  });
});

describe('the schema of a config', () => {
  it('has the component’s own keys and those of the policies, and no others', () => {
    const schema = configSchemaOf(typeWith({}));
    const keys = [
      'either',
      'join',
      'method',
      'nested',
      'on_error',
      'on_unknown',
      'pinned_output',
      'retry',
      'rules',
      'timeout_seconds',
    ];
    expect(Object.keys(schema.properties ?? {}).sort()).toEqual(keys);
    expect(schema).toMatchObject({ additionalProperties: false, type: 'object' });
  });

  it('is created once', () => {
    const component = typeWith({});
    expect(configSchemaOf(component)).toBe(configSchemaOf(component));
  });
});

describe('the expressions of a config', () => {
  const text = z.strictObject({
    fields: z.record(z.string(), z.json()).optional(),
    expression: z.string().optional(),
    rules: z.array(z.strictObject({ field: z.string(), operator: z.string().optional() })).optional(),
  });
  const transform = typeWith({ config: text, bareExpressions: ['expression'], verbatim: ['rules.*.field'] });

  it('are parsed where the component has them, and nowhere else', () => {
    expect(problems({ fields: { a: '{{ trigger.payload.n * 2 }}' }, expression: 'a.b' }, transform)).toEqual([]);
    expect(problems({ rules: [{ field: '((' }] }, transform)).toEqual([]);
  });

  it('are all reported with their paths if they are invalid', () => {
    const found = checkConfig(
      { extra_config: { fields: { 'X-Id': '{{ a +', b: ['{{ 1 }}', '{{ ) }}'] }, expression: '(' } },
      transform,
    );
    expect(found.map(({ type, path }) => [type, path])).toEqual([
      ['expression', ['extra_config', 'fields', 'X-Id']],
      ['expression', ['extra_config', 'fields', 'b', 1]],
      ['expression', ['extra_config', 'expression']],
    ]);
    for (const { message } of found) expect(message).toMatch(/\(line 1, column \d+\)$/);
  });

  it('are also checked where a component evaluates them itself', () => {
    const found = checkConfig(
      { extra_config: { rules: [{ field: 'trigger.(' }] } },
      { ...transform, scopePaths: ['rules.*.field'] },
    );
    expect(found.map(({ path }) => path)).toEqual([['extra_config', 'rules', 0, 'field']]);
  });
});
