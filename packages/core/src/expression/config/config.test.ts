import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runThrough } from '../../base/meter.ts';
import type { Json } from '../../json.ts';
import { ExpressionError } from '../expression-error.ts';
import type { Scope } from '../scope.ts';
import { compileConfig, configTexts, resolveConfig, resolvingConfig } from './config.ts';

const values = new Map<string, Json>([
  ['n', 5],
  ['order', { id: 7 }],
]);
const scope: Scope = { lookup: (name) => values.get(name), names: () => [...values.keys()] };

test('a config without expressions resolves to the same object at no cost', () => {
  fc.assert(
    fc.property(fc.jsonValue() as fc.Arbitrary<Json>, (config) => {
      fc.pre(!JSON.stringify(config).includes('{{'));
      const compiled = compileConfig(config);
      expect(compiled.isStatic).toBe(true);
      expect(resolveConfig(compiled, scope)).toBe(config);
    }),
  );
});

test('a config has at most 2,000 expressions, in one text or in many', () => {
  const texts = (count: number) => Array.from({ length: count }, () => '{{ n }}');
  expect(() => compileConfig(texts(2000))).not.toThrow();
  expect(() => compileConfig([texts(2000).join(' ')])).not.toThrow();
  for (const config of [texts(2001), [texts(2001).join(' ')], [texts(5000).join('')]]) {
    expect(() => compileConfig(config)).toThrow('A config has at most 2000 expressions.');
    const reasons: string[] = [];
    compileConfig(config, { onError: ({ reason }) => reasons.push(reason) });
    expect(reasons).toEqual(['A config has at most 2000 expressions.']);
  }
});

test('expressions are resolved everywhere, and all other parts are shared', () => {
  const config = {
    url: 'http://x/{{ order.id }}',
    body: { order: '{{ order }}', list: [1, '{{ n }}', { deep: '{{ n + 1 }}' }] },
    headers: { a: 'b' },
  };
  const before = structuredClone(config);
  const resolved = resolveConfig(compileConfig(config), scope);
  expect(resolved).toEqual({
    url: 'http://x/7',
    body: { order: { id: 7 }, list: [1, 5, { deep: 6 }] },
    headers: { a: 'b' },
  });
  expect(resolved).toHaveProperty('headers', config.headers);
  expect((resolved as typeof config).headers).toBe(config.headers);
  expect(config).toEqual(before);
});

test('the order of keys is preserved, and keys are never templates', () => {
  const config = { b: '{{ n }}', '{{ n }}': 1, a: '{{ n }}' };
  expect(JSON.stringify(resolveConfig(compileConfig(config), scope))).toBe('{"b":5,"{{ n }}":1,"a":5}');
});

test('a key named __proto__ is an ordinary key', () => {
  const config = JSON.parse('{"__proto__": {"x": "{{ n }}"}, "a": "{{ n }}"}') as Json;
  const resolved = resolveConfig(compileConfig(config), scope);
  expect(JSON.stringify(resolved)).toBe('{"__proto__":{"x":5},"a":5}');
  expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
});

describe('how the text at a key is read', () => {
  test('bare expressions need no braces but may have them', () => {
    const config = { expression: 'n * 2', fields: { a: '{{ n }}', b: ['n > 3', '{{ n }} of {{ n }}'] }, text: 'n * 2' };
    const compiled = compileConfig(config, { bareExpressions: ['expression', 'fields'] });
    expect(resolveConfig(compiled, scope)).toEqual({
      expression: 10,
      fields: { a: 5, b: [true, '5 of 5'] },
      text: 'n * 2',
    });
  });

  test('verbatim text is not changed', () => {
    const config = { template: '{{ broken', deep: { a: ['{{ n }}'] }, other: '{{ n }}' };
    const resolved = resolveConfig(compileConfig(config, { verbatim: ['template', 'deep'] }), scope);
    expect(resolved).toEqual({ ...config, other: 5 });
  });

  test('a path may go deeper, into each entry of a list', () => {
    const config = { rules: [{ field: '{{ a }}', value: '{{ n }}' }], field: '{{ n }}' };
    const resolved = resolveConfig(compileConfig(config, { verbatim: ['rules.*.field'] }), scope);
    expect(resolved).toEqual({ rules: [{ field: '{{ a }}', value: 5 }], field: 5 });
  });

  test('text that is both verbatim and bare is read as a bare expression', () => {
    const options = { verbatim: ['rules'], bareExpressions: ['rules.*.field'] };
    const compiled = compileConfig({ rules: [{ field: 'n', value: '{{ n }}' }] }, options);
    expect(configTexts(compiled).map((text) => text.path)).toEqual(['rules[0].field']);
  });
});

describe('errors name the path in the config', () => {
  test('during compilation', () => {
    const compile = () => compileConfig({ fields: { total: 'a {{ n | uper }}' } });
    expect(compile).toThrow("fields.total: There is no filter 'uper'. Did you mean 'upper'? (line 1, column 10)");
    expect(compile).toThrow(ExpressionError);
  });

  test('during resolution', () => {
    const compiled = compileConfig({ headers: { 'X-Id': '{{ order.ix }}' }, rules: [{ value: '{{ n }}' }, '{{ m }}'] });
    expect(() => resolveConfig(compiled, scope)).toThrow('headers["X-Id"]: \'order.ix\' does not exist');
    const other = compileConfig({ rules: [{ value: '{{ n }}' }, '{{ m }}'] });
    expect(() => resolveConfig(other, scope)).toThrow("rules[1]: There is no 'm' here. (line 1, column 4)");
  });

  test('and are all reported at once to checks', () => {
    const errors: string[] = [];
    const config = { a: '{{', b: '{{ n }}', c: ['{{ 1 + }}'] };
    const compiled = compileConfig(config, { onError: (error) => errors.push(`${error.configPath} ${error.column}`) });
    expect(errors).toEqual(['a 1', 'c[0] 8']);
    expect(resolveConfig(compiled, scope)).toEqual({ ...config, b: 5 });
  });

  test('and are all reported for one text, up to a limit', () => {
    const columns: number[] = [];
    const onError = ({ column }: ExpressionError) => void columns.push(column);
    const compiled = compileConfig('{{ 1 + }} {{ n }} {{ | }} {{ n + 1 }}', { onError });
    expect(columns).toEqual([8, 22]);
    expect(resolveConfig(compiled, scope)).toBe('{{ 1 + }} 5 {{ | }} 6');
    columns.length = 0;
    compileConfig('{{ | }}'.repeat(1000), { onError });
    expect(columns).toHaveLength(20);
  });

  test('a document that is nested too deep to walk is rejected', () => {
    let config: Json = '{{ n }}';
    for (let depth = 0; depth < 5_000; depth += 1) config = [config];
    expect(() => compileConfig(config)).toThrow('A config nests at most 128 deep.');
  });
});

test('all expressions of a config share one budget', () => {
  const compiled = compileConfig({ a: '{{ n + n + n }}', b: '{{ n + n + n }}' });
  expect(resolveConfig(compiled, scope, { fuel: 10 })).toEqual({ a: 15, b: 15 });
  expect(() => resolveConfig(compiled, scope, { fuel: 9 })).toThrow(
    'b: The expression takes too many steps to evaluate',
  );
});

test('a config is resolved with a pause after each text that has expressions, in whatever it is nested', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`f${index}`, [{ a: '{{ n }}' }, 'text']]),
  );
  const work = resolvingConfig(compileConfig({ fields, b: '{{ n + 1 }}', c: 1 }), scope);
  expect([...work]).toHaveLength(501);
  expect(runThrough(resolvingConfig(compileConfig(fields), scope))).toEqual(
    resolveConfig(compileConfig(fields), scope),
  );
});
