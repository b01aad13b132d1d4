import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { own } from '../json.ts';
import { evaluate } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './parse.ts';
import type { Scope } from './scope.ts';

const names: JsonObject = {
  n: 5,
  text: 'héllo',
  face: 'a😀b',
  empty: '',
  nothing: null,
  list: [3, 1, 2],
  order: { total: 12.5, lines: [{ sku: 'x' }, { sku: 'y' }], 'content-type': 'json', paid: true },
  nodes: { hook: { payload: { kind: 'hot' } } },
};
const scope: Scope = {
  lookup: (name) => own(names, name),
  names: () => Object.keys(names),
};

function evaluated(text: string): Json {
  return evaluate(parseExpression(text), scope);
}

function reasonOf(text: string, within: Scope = scope): string {
  try {
    evaluate(parseExpression(text), within);
  } catch (error) {
    if (error instanceof ExpressionError) return error.reason;
    throw error;
  }
  throw new Error(`'${text}' has a value`);
}

describe('values', () => {
  const cases: [string, Json][] = [
    ['order.total', 12.5],
    ["order['content-type']", 'json'],
    ['order["lines"][0].sku', 'x'],
    ['order.lines.1.sku', 'y'],
    ['list[-1]', 2],
    ['list[n - 4]', 1],
    ["order['to' ~ 'tal']", 12.5],
    ['list[1:]', [1, 2]],
    ['list[:-1]', [3, 1]],
    ['list[:]', [3, 1, 2]],
    ['text[1]', 'é'],
    ['face[1]', '😀'],
    ['face[:2]', 'a😀'],
    ["'it\\'s' ~ \"\\n\\u00e9\\x41\"", "it's\néA"],
    ['[1, 2.5, 1e3, true, False, none, Null_ | default(null), None]', [1, 2.5, 1000, true, false, null, null, null]],
    ["{'a': 1, 'b': {'c': []},}", { a: 1, b: { c: [] } }],
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3', 9],
    ['7 // 2', 3],
    ['-7 // 2', -4],
    ['-7 % 3', 2],
    ['7 % -3', -2],
    ['2 ** 3 ** 2', 64],
    ['-2 ** 2', 4],
    ['-n', -5],
    ['+n', 5],
    ["'a' + 'b'", 'ab'],
    ['[1] + [2]', [1, 2]],
    ["1 ~ '-' ~ true ~ '-' ~ null ~ '-' ~ [1, {'a': 'b'}]", '1-true-null-[1,{"a":"b"}]'],
    ["1 == '1'", false],
    ['1 == true', false],
    ['1 == 1.0', true],
    ["{'a': [1], 'b': 2} == {'b': 2, 'a': [1]}", true],
    ["{'a': 1} == {'a': 1, 'b': 2}", false],
    ['[1, [2]] != [1, [3]]', true],
    ['[] == {}', false],
    ['null == 0', false],
    ["'a' < 'b' and 2 >= 2 and 1 <= 1 and 3 > 2", true],
    ["'ell' in 'hello'", true],
    ['3 in list', true],
    ["'total' in order", true],
    ["'constructor' not in order", true],
    ['[1] in [[1], [2]]', true],
    ["'yes' if n > 3 else 'no'", 'yes'],
    ["'a' if false else 'b' if false else 'c'", 'c'],
    ["empty or 'other'", 'other'],
    ['list and n', 5],
    ['nothing and missing', null],
    ['true or missing', true],
    ['not []', true],
    ['not not n', true],
    ['not n == 5', false],
    ['nothing is none', true],
    ['nothing is defined', true],
    ['order.nope is defined', false],
    ['nope.deep.deeper is not defined', true],
    ['list[9] is undefined', true],
    ['(n + 1) is number', true],
    ['[n is integer, 2.5 is integer, n is even, 2.5 is odd, -3 is odd]', [true, false, false, false, true]],
    ['[true is true, 1 is true, false is false, 0 is boolean, n is truthy]', [true, false, true, false, true]],
    ['order is mapping and list is list and text is string and n is odd', true],
    ["nope.deep | default('x')", 'x'],
    ["order.lines[5].sku | d('x')", 'x'],
    ["(nope if true else 1) | default('x')", 'x'],
    ["list[:1].x | default('x')", 'x'],
    ["text.length | default('x')", 'x'],
  ];
  test.each(cases)('%s', (text, expected) => {
    expect(evaluated(text)).toEqual(expected);
  });

  test('a path returns the value itself, not a copy', () => {
    expect(evaluated('order')).toBe(names.order);
  });
});

describe('truth follows Jinja', () => {
  test.each(['null', 'false', '0', "''", '[]', '{}'])('%s is false', (text) => {
    expect(evaluated(`1 if ${text} else 2`)).toBe(2);
  });
  test.each(['true', '-1', "' '", "'0'", '[0]', "{'a': null}"])('%s is true', (text) => {
    expect(evaluated(`1 if ${text} else 2`)).toBe(1);
  });
});

describe('a missing value is reported with a helpful message', () => {
  const optional = " If it may be missing, add '| default(…)'.";
  const cases: [string, string][] = [
    ['txt', "There is no 'txt' here. Did you mean 'text'?"],
    ['zzz.a', "There is no 'zzz' here."],
    [
      'nodes.hook.paylod',
      `'nodes.hook.paylod' does not exist: the object has no 'paylod'. Did you mean 'payload'?${optional}`,
    ],
    ['nodes.hok.payload', `'nodes.hok' does not exist: the object has no 'hok'. Did you mean 'hook'?${optional}`],
    ['order.content-type', "the object has 'content-type', which is written ['content-type']."],
    ['nothing.a', `'nothing.a' does not exist: null has no keys.${optional}`],
    ['list.first', `'list.first' does not exist: a list has no keys. Write [0] for an item of a list.${optional}`],
    ['text.length', `'text.length' does not exist: text has no keys.${optional}`],
    ['list[3]', `'list[3]' does not exist: the list has 3 items, counted from 0.${optional}`],
    ['list[0.5]', "'list[0.5]' does not exist"],
    ['order[0]', `'order[0]' does not exist: the object has no such key; keys are text.${optional}`],
    ['n[0]', `'n[0]' does not exist: a number has no items.${optional}`],
    ['(order.nope if true else 1)', "'order.nope' does not exist"],
    ['order.nope[1:]', "'order.nope' does not exist"],
    ['[] | first', "'first' has no result here. If it may be missing, add '| default(…)'."],
  ];
  test.each(cases)('%s', (text, reason) => {
    expect(reasonOf(text)).toContain(reason);
  });

  test('at the position of the missing key', () => {
    expect(() => evaluated('n +\n nodes.hook.nope')).toThrow('(line 2, column 13)');
  });

  test("with the scope's explanation, if it has one", () => {
    const paths: (readonly string[])[] = [];
    const explaining: Scope = {
      ...scope,
      explain(path) {
        paths.push(path);
        return "node 'late' was skipped";
      },
    };
    expect(reasonOf('nodes.late.output.x', explaining)).toBe("'nodes.late' does not exist: node 'late' was skipped.");
    expect(paths).toEqual([['nodes', 'late']]);
  });
});

describe('an operation that does not fit its values is an error', () => {
  const cases: [string, string][] = [
    ["1 + '1'", "'+' does not work on a number and text. Text is joined with '~'"],
    ['null + 1', "'+' does not work on null and a number."],
    ["'a' * 2", "'*' does not work on text and a number."],
    ['1 / 0', 'Division by zero.'],
    ['1 // 0', 'Division by zero.'],
    ['1 % 0', 'Division by zero.'],
    ['9 ** 999', 'The result is not a number, or too large for one.'],
    ['(0 - 1) ** 0.5', 'The result is not a number, or too large for one.'],
    ["1 < '2'", 'Only two numbers or two texts can be compared, not a number and text.'],
    ['[1] > [0]', 'Only two numbers or two texts can be compared'],
    ["-'a'", 'A sign must be followed by a number, not by text.'],
    ['1 in 2', 'a number cannot be searched for in a number.'],
    ["1 in 'a1'", 'a number cannot be searched for in text.'],
    ['order[1:2]', 'A slice [from:to] is taken of a list or text, not of an object.'],
    ["list['a':]", 'The ends of a slice [from:to] must be whole numbers, not text.'],
  ];
  test.each(cases)('%s', (text, reason) => {
    expect(reasonOf(text)).toContain(reason);
  });
});

describe('integers are calculated exactly', () => {
  const cases: [string, Json][] = [
    ['2 ** 53', 9007199254740992],
    ['2 ** 60', 2 ** 60],
    ['10 ** 18', 1e18],
    ['-(10 ** 22)', -1e22],
    ['9007199254740991 + 1', 2 ** 53],
    ['-9007199254740991 - 1', -(2 ** 53)],
    ['4503599627370496 * 4', 2 ** 54],
    ['2 ** 60 // 2 ** 58', 4],
    ['9007199254740991 // 9007199254740990', 1],
    ['9007199254740989 // 9007199254740990', 0],
    ['-9007199254740989 // 9007199254740990', -1],
    ['9007199254740991 // 2', 4503599627370495],
    ['9007199254740991 % 10', 1],
    // Approximate numbers.
    ['2.0 ** 53 + 1', 2 ** 53],
    ['1e20 + 1', 1e20],
    ['3.0 ** 40', 3 ** 40],
    ['(9007199254740991 | float) * 3', 9007199254740991 * 3],
    ['9007199254740991 * 1.5', 9007199254740991 * 1.5],
    ['9007199254740991 / 3', 9007199254740991 / 3],
    ["'12345678901234567890' | float + 1", Number('12345678901234567890')],
    ['large * 3 + 1', 1.7e300 * 3 + 1],
    ['10 ** -20', 1e-20],
  ];
  test.each(cases)('%s', (text, expected) => {
    const numbers: Scope = { lookup: (name) => (name === 'large' ? 1.7e300 : undefined), names: () => ['large'] };
    expect(evaluate(parseExpression(text), numbers)).toEqual(expected);
  });

  const rounded: [string, string][] = [
    ['2 ** 53 + 1', "The result of '+' has too many digits: a number holds integers exactly up to ±(2^53 − 1)"],
    ['9007199254740991 + 2', "The result of '+'"],
    ['-9007199254740991 - 2', "The result of '-'"],
    ['-(2 ** 53) - 1', "The result of '-'"],
    ['9007199254740991 * 3', "The result of '*'"],
    ['3 ** 40', "The result of '**'"],
    ['10 ** 23', "The result of '**'"],
    ['2 ** 200 // 3', "The result of '//'"],
    ['([9007199254740991, 1] | sum) + 1', "The result of '+'"],
    ['(2 ** 53 | abs) + 1', "write a number of it with a fraction, as in 2.0, or convert a value with '| float'."],
  ];
  test.each(rounded)('%s has no result that a number can hold', (text, reason) => {
    expect(reasonOf(text)).toContain(reason);
  });

  test('as with integers of any size', () => {
    const integer = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -100, max: 100 }));
    const exactly = {
      '+': (a: bigint, b: bigint) => a + b,
      '-': (a: bigint, b: bigint) => a - b,
      '*': (a: bigint, b: bigint) => a * b,
    };
    fc.assert(
      fc.property(integer, integer, fc.constantFrom('+', '-', '*'), (left, right, operator) => {
        const exact = exactly[operator](BigInt(left), BigInt(right));
        const calculate = () => evaluated(`(${left}) ${operator} (${right})`);
        if (BigInt(Number(exact)) === exact) expect(String(calculate())).toBe(String(Number(exact)));
        else expect(calculate).toThrow(`The result of '${operator}' has too many digits`);
      }),
    );
  });

  test('division rounds down, as with integers of any size', () => {
    const integer = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -100, max: 100 }));
    fc.assert(
      fc.property(
        integer,
        integer.filter((divisor) => divisor !== 0),
        (left, right) => {
          const [dividend, divisor] = [BigInt(left), BigInt(right)];
          const remainder = ((dividend % divisor) + divisor) % divisor;
          expect(String(evaluated(`(${left}) // (${right})`))).toBe(String((dividend - remainder) / divisor));
          expect(String(evaluated(`(${left}) % (${right})`))).toBe(String(remainder));
        },
      ),
    );
  });
});
