import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { parseTemplate, renderTemplate } from './config/template.ts';
import { evaluate } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { filterNames, findFilter } from './filters/table.ts';
import { parseExpression } from './parse.ts';

/** Nothing here measures time: slow work must exceed a limit that counts steps. */

const million = 1_048_576;
const steps = 'The expression takes too many steps to evaluate';
const prototypeKeys = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'length',
];

function run(text: string, values: Readonly<Record<string, Json>> = {}): Json {
  const names = new Map(Object.entries(values));
  return evaluate(parseExpression(text), { lookup: (name) => names.get(name), names: () => [...names.keys()] });
}

/** An object with many keys. */
function wide(count: number): Json {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]));
}

afterAll(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.ownKeys(Object.prototype)).not.toContain('polluted');
});

describe('nothing leads to a prototype', () => {
  const values = { object: { a: 1 }, list: [1], text: 'a', number: 1, nothing: null };
  const cases = prototypeKeys.flatMap((key) =>
    Object.keys(values).flatMap((name) => [`${name}.${key}`, `${name}['${key}']`, `${name}['${key}'].constructor`]),
  );
  test.each(cases)('%s', (path) => {
    expect(() => run(path, values)).toThrow(ExpressionError);
    expect(run(`${path} is defined`, values)).toBe(false);
    expect(run(`${path} | default('none')`, values)).toBe('none');
  });

  test.each(prototypeKeys)('filters that read by name do not find %s', (key) => {
    const items = { items: [{ a: 1 }, [1], 'a', 1] };
    expect(run(`items | map(attribute='${key}', default=0)`, items)).toEqual([0, 0, 0, 0]);
    expect(run(`items | map(attribute='a.${key}', default=0)`, items)).toEqual([0, 0, 0, 0]);
    expect(run(`items | selectattr('${key}', 'defined')`, items)).toEqual([]);
    expect(run(`items[0] | get('${key}', 0)`, items)).toBe(0);
    expect(run(`'${key}' in items[0]`, items)).toBe(false);
  });

  test('such names are ordinary keys in data', () => {
    const data = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}') as Json;
    expect(run('data.__proto__.polluted + data.constructor', { data })).toBe(3);
    const built = run("{'__proto__': {'polluted': 1}, 'a': 2}") as object;
    expect(Object.keys(built)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(run('\'{"__proto__": {"polluted": 1}}\' | fromjson'))).toBe(Object.prototype);
  });
});

describe('work is limited', () => {
  const near = `${'a'.repeat(256)}b${'a'.repeat(256)}`;
  const [before, after] = [`${'a'.repeat(500_000)}x`, `${'a'.repeat(500_000)}y`];
  const numbers = Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 50_021);
  const cases: [string, string, Record<string, Json>, string][] = [
    ['powers of powers', '9.0 ** 9 ** 9 ** 9', {}, 'too large for one'],
    [
      'text replaced by longer text',
      `t | replace('a', '${'b'.repeat(100)}')`,
      { t: 'a'.repeat(20_000) },
      'longer than',
    ],
    ['text replaced again and again', `t${"| replace('a', 'aa')".repeat(60)}`, { t: 'a' }, steps],
    ['text joined to itself', `t${' ~ t'.repeat(900)}`, { t: 'a'.repeat(300_000) }, 'longer than'],
    ['one text joined many times', `[${'t,'.repeat(5_000)}] | join`, { t: 'a'.repeat(1_000) }, 'longer than'],
    ['one text in many items', `[${'t,'.repeat(5_000)}]`, { t: 'a'.repeat(million) }, 'The result is too large'],
    ['one list in many items', `[${'l,'.repeat(5_000)}]`, { l: numbers }, 'The result is too large'],
    ['one list in many items, as JSON', `[${'l,'.repeat(5_000)}] | json`, { l: numbers }, 'too large'],
    ['many long texts changed', `[${'t,'.repeat(5_000)}] | map('upper')`, { t: 'a'.repeat(million) }, steps],
    ['long equal beginnings compared', `[${'a,b,'.repeat(3_000)}] | sort`, { a: before, b: after }, steps],
    ['a long list sorted', 'l | sort', { l: numbers }, steps],
    ['a long list compared', 'l == m and l == m', { l: numbers, m: [...numbers] }, steps],
    ['a list filled up', "[1] | batch(100000, 'x') | length", {}, steps],
    ['a list cut into nothing', '[1] | slice(100000)', {}, steps],
    ['a long text cut', "t | split('a')", { t: 'a'.repeat(million) }, steps],
    ['a long text encoded', 't | urlencode', { t: 'ü'.repeat(500_000) }, 'longer than'],
    ['deep JSON', 't | fromjson', { t: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }, 'nested too deep'],
    [
      'a part that almost occurs everywhere',
      `(part in t)${' or (part in t)'.repeat(30)}`,
      { t: 'a'.repeat(million), part: near },
      steps,
    ],
    [
      'the keys of a wide object counted many times',
      `o|length${' + (o|length)'.repeat(400)}`,
      { o: wide(9_000) },
      steps,
    ],
    [
      'the keys of a wider object counted many times',
      `o|length${' + (o|length)'.repeat(400)}`,
      { o: wide(90_000) },
      steps,
    ],
    ['a wide object tested many times', `not o${' or not o'.repeat(400)}`, { o: wide(9_000) }, steps],
    ['a long attribute path', 'l | map(attribute=p, default=0) | list', { l: [], p: 'a.'.repeat(300_000) }, steps],
    ['lists wrapped in lists', `[1]${' | batch(1)'.repeat(900)}`, {}, 'nested too deep'],
  ];
  test.each(cases)('%s', (_name, text, values, reason) => {
    expect(() => run(text, values)).toThrow(reason);
    expect(() => run(text, values)).toThrow(ExpressionError);
  });

  test('by the fuel that the caller gives', () => {
    const sum = parseExpression('1 + 1 + 1');
    const scope = { lookup: () => undefined, names: () => [] };
    expect(evaluate(sum, scope, { fuel: 5 })).toBe(3);
    expect(() => evaluate(sum, scope, { fuel: 4 })).toThrow(steps);
  });

  test('for a template as a whole, not for each of its expressions', () => {
    const template = parseTemplate('{{ l | sum }}, '.repeat(10));
    const scope = { lookup: () => numbers, names: () => [] };
    expect(() => renderTemplate(template, scope)).toThrow(steps);
  });

  test('so that the deepest tree that can be parsed can be evaluated', () => {
    expect(run(`1${' + 1'.repeat(1_000)}`)).toBe(1_001);
    expect(run(`${'('.repeat(60)}1${')'.repeat(60)}`)).toBe(1);
    expect(run(`a${'[0]'.repeat(999)} is defined`, { a: 1 })).toBe(false);
  });
});

describe('for any expression and data', () => {
  const atom = fc.constantFrom(
    ...[
      'a',
      'b.c',
      'b',
      'l',
      'l[0]',
      'deep',
      'missing',
      'bad',
      '0',
      '-1',
      '1e308',
      '2.5',
      "'x'",
      "''",
      "'a.b'",
      'null',
    ],
    ...['true', '[]', '{}', "{'a': l}", '[l, b]', "'__proto__'", "'😀x'", "'[1]'", "'2026-01-01'"],
  );
  const filter = fc.constantFrom(...filterNames).chain((name) => {
    const most = findFilter(name)?.parameters.length ?? 0;
    return fc.array(atom, { maxLength: most }).map((args) => `${name}(${args.join(', ')})`);
  });
  const mapped = fc.constantFrom(...filterNames).map((name) => `map('${name}')`);
  const tested = fc.constantFrom("select('gt', 1)", "select('in', b)", "rejectattr('c')", "selectattr('c', 'defined')");
  const operator = fc.constantFrom(
    ...['+', '-', '*', '/', '//', '%', '**', '~', '==', '<', 'in', 'not in', 'and', 'or'],
  );
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      atom,
      fc.tuple(tie('expression'), fc.oneof(filter, mapped, tested)).map(([input, name]) => `(${input}) | ${name}`),
      fc
        .tuple(tie('expression'), operator, tie('expression'))
        .map((parts) => `(${parts[0]}) ${parts[1]} (${parts[2]})`),
      fc.tuple(tie('expression'), tie('expression')).map(([object, index]) => `(${object})[${index}]`),
      fc.tuple(tie('expression'), tie('expression')).map(([object, from]) => `(${object})[${from}:]`),
      tie('expression').map((operand) => `not (${operand}) is defined`),
      tie('expression').map((operand) => `-(${operand})`),
    ),
  }));

  function nested(depth: number): Json {
    let value: Json = 1;
    for (let level = 0; level < depth; level += 1) value = [value];
    return value;
  }

  test('evaluation ends with JSON or an ExpressionError', () => {
    const values = { a: 3, b: { c: 'x' }, l: [3, 'a', null, { c: 1 }, [2]], deep: nested(5_000), bad: '\ud800' };
    fc.assert(
      fc.property(expression, (text) => {
        let value: Json;
        try {
          value = run(text, values);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
          return;
        }
        // The output may be nested too deep only if the input was.
        if (!text.includes('deep')) expect(isJson(value)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  function isJson(value: unknown): boolean {
    if (Array.isArray(value)) return value.every(isJson);
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value);
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
  }
});
