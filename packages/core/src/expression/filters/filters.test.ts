import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, own } from '../../json.ts';
import { evaluate } from '../evaluate.ts';
import { parseExpression } from '../parse.ts';
import { predicates } from '../predicates.ts';
import { filterNames, filters, findFilter } from './table.ts';

const names: JsonObject = {
  people: [
    { name: 'Bo', age: 41, tags: ['x'], address: { city: 'Ulm' } },
    { name: 'al', age: 7, tags: [], address: { city: 'Bonn' } },
    { name: 'Cy', age: 41, tags: ['y', 'z'], address: {} },
  ],
  order: { id: 7, open: true, note: null },
  face: 'a😀b',
  at: '2026-03-01T09:05:07.042Z',
};
const now = Date.UTC(2026, 0, 2, 15, 4, 5);

function evaluated(text: string): Json {
  const scope = { lookup: (name: string) => own(names, name), names: () => Object.keys(names) };
  return evaluate(parseExpression(text), scope, { now });
}

/** The expressions that are evaluated successfully here. */
const checked: string[] = [];

function check(cases: readonly (readonly [string, Json])[]): void {
  checked.push(...cases.map(([text]) => text));
  test.each(cases)('%s', (text, expected) => {
    expect(evaluated(text)).toEqual(expected);
  });
}

function reject(cases: readonly (readonly [string, string])[]): void {
  test.each(cases)('%s fails', (text, reason) => {
    expect(() => evaluated(text)).toThrow(reason);
  });
}

describe('text', () => {
  check([
    ["'aé' | upper", 'AÉ'],
    ["'ABc' | lower", 'abc'],
    ["'hELLO big-world (ok)' | title", 'Hello Big-World (Ok)'],
    ["'hELLO World' | capitalize", 'Hello world'],
    ["'' | capitalize", ''],
    ["' \\n a ' | trim", 'a'],
    ["'--a-b--' | trim('-')", 'a-b'],
    ["'--' | trim(chars='-')", ''],
    ["'foo bar baz qux' | truncate(9)", 'foo...'],
    ["'foo bar baz qux' | truncate(9, true)", 'foo ba...'],
    ["'foo bar baz qux' | truncate(11)", 'foo bar baz qux'],
    ["'foo bar baz qux' | truncate(11, false, '…', 0)", 'foo bar…'],
    ["face | truncate(2, killwords=true, end='', leeway=0)", 'a😀'],
    ["'a.b.c' | replace('.', '-')", 'a-b-c'],
    ["'a.b.c' | replace('.', '', 1)", 'ab.c'],
    ["'$& $1' | replace('$', '$&')", '$&& $&1'],
    ["'a, b' | split(', ')", ['a', 'b']],
    ["'a,b,c' | split(',', 1)", ['a', 'b,c']],
    ["' a  b c ' | split", ['a', 'b', 'c']],
    ["' a  b c ' | split(none, 1)", ['a', 'b c ']],
    ["'' | split", []],
    ["'' | split(',')", ['']],
    ['[1, null] | string', '[1,null]'],
    ['12 | string', '12'],
    ["'a b/ü&~' | urlencode", 'a%20b%2F%C3%BC%26~'],
    ["'!*()' | urlencode", '%21%2A%28%29'],
    ["{'q': 'a b', 'n': 1} | urlencode", 'q=a%20b&n=1'],
    ['12 | upper', '12'],
  ]);
  reject([
    ['null | upper', "The input of 'upper' must be text, but it is null."],
    ['[] | trim', "The input of 'trim' must be text, but it is a list."],
    ["'a' | replace('', 'b')", "'old' must not be empty text."],
    ["'a' | split('')", "'separator' must not be empty text"],
    ["'abc' | truncate(2)", "'length' must be a whole number from 3 to"],
    ["[['a']] | urlencode", "The input of 'urlencode' must be text or an object of texts."],
  ]);
});

describe('numbers', () => {
  check([
    ['-3 | abs', 3],
    ['2.5 | round', 3],
    ['-2.5 | round', -3],
    ['1.005 | round(2)', 1.01],
    ["1.21 | round(1, 'ceil')", 1.3],
    ["-1.21 | round(1, method='floor')", -1.3],
    ['1234 | round(-2)', 1200],
    ['1e21 | round(2)', 1e21],
    ['1e-9 | round(2)', 0],
    ["' 42 ' | int", 42],
    ["'-3.9' | int", -3],
    ['true | int', 1],
    ["'x' | int(0)", 0],
    ["'0x10' | int(null)", null],
    ["'1.5' | float", 1.5],
    ["'' | float(default=1)", 1],
    ["'1e400' | float(0)", 0],
  ]);
  reject([
    ["'x' | int", "The input of 'int' is not a number: add a default, as in 'int(0)'."],
    ["'1e400' | float", "The input of 'float' is out of range: a number can be at most about 1.8e308."],
    ["' -1e400 ' | int", "The input of 'int' is out of range: a number can be at most about 1.8e308."],
    ["'3' | abs", "The input of 'abs' must be a number, but it is text."],
    ['1 | round(99)', "'precision' must be a whole number from -15 to 15, but it is 99."],
    ["1 | round(0, 'up')", "'method' must be 'common', 'ceil' or 'floor'."],
  ]);
});

describe('dates', () => {
  check([
    ['at | date', '2026-03-01'],
    ["at | date('yy-M-d H:m:s a')", '26-3-1 9:5:7 AM'],
    ["at | date('yyyy-MM-ddTHH:mm:ss.SSSZ')", '2026-03-01T09:05:07.042Z'],
    ["at | date('EEEE EEE MMMM MMM')", 'Sunday Sun March Mar'],
    ["'now' | date(\"hh:mm a, 'o''clock' ''\")", "03:04 PM, o'clock '"],
    ['0 | date', '1970-01-01'],
    ["'2026-03-01T00:30:00+02:00' | date('yyyy-MM-dd HH:mm')", '2026-02-28 22:30'],
    ["'2026-03-01' | date('HH')", '00'],
  ]);
  reject([
    ["'soon' | date", "The input of 'date' must be an ISO 8601 date, milliseconds since 1970, or 'now'."],
    ["'2026-02-30' | date", 'must be an ISO 8601 date'],
    ['1e99 | date', 'must be an ISO 8601 date'],
    ["at | date('YYYY')", "The date format does not support 'YYYY'; it supports yyyy yy MMMM"],
    ['at | date("d \'x")', "The date format has no closing '."],
    ["at | date('yyyy-mm-dd')", "The date format has minutes, 'mm', where a month seems meant: write MM."],
  ]);

  test("'now' needs a clock", () => {
    const scope = { lookup: () => undefined, names: () => [] };
    expect(() => evaluate(parseExpression("'now' | date"), scope)).toThrow("'now' has no value here.");
  });
});

describe('lists', () => {
  check([
    ['[1, 2] | length', 2],
    ["{'a': 1} | count", 1],
    ['face | length', 3],
    ['face | first', 'a'],
    ["'a😀' | last", '😀'],
    ['[1, 2] | last', 2],
    ["[] | first | default('none')", 'none'],
    ['face | reverse', 'b😀a'],
    ['[1, 2] | reverse', [2, 1]],
    ['face | list', ['a', '😀', 'b']],
    ["{'a': 1} | list", ['a']],
    ["[1, 'a', null, [2]] | join('-')", '1-a-null-[2]'],
    ["people | join(', ', attribute='name')", 'Bo, al, Cy'],
    ['[3, 1, 2] | sort', [1, 2, 3]],
    ["['b', 'A', 'a'] | sort", ['A', 'a', 'b']],
    ["['b', 'A', 'a'] | sort(case_sensitive=true)", ['A', 'a', 'b']],
    ["['a', 'B'] | sort(case_sensitive=true)", ['B', 'a']],
    ["people | sort(attribute='age', reverse=true) | map('name')", ['Bo', 'Cy', 'al']],
    ["people | sort(attribute='name') | map('name')", ['al', 'Bo', 'Cy']],
    ["['a', 'A', 1, 1.0, '1', true, null, [1], [1]] | unique", ['a', 1, '1', true, null, [1]]],
    ["[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}] | unique | length", 1],
    ["people | unique(attribute='age') | map('name')", ['Bo', 'al']],
    ['[1, 2, 3.5] | sum', 6.5],
    ["people | sum('age')", 89],
    ['[] | sum(start=10)', 10],
    ['[3, 1, 2] | min', 1],
    ["people | max(attribute='age') | get('name') | default('x')", 'Bo'],
    ["people | max(attribute='name') | get('name')", 'Cy'],
    ['[] | max is defined', false],
    ['[1, 2, 3] | batch(2)', [[1, 2], [3]]],
    [
      '[1, 2, 3] | batch(2, 0)',
      [
        [1, 2],
        [3, 0],
      ],
    ],
    ['[1, 2, 3, 4, 5] | slice(3)', [[1, 2], [3, 4], [5]]],
    [
      "[1, 2, 3, 4, 5] | slice(3, 'x')",
      [
        [1, 2],
        [3, 4],
        [5, 'x'],
      ],
    ],
    ["[1, 2] | slice(2, 'x')", [[1], [2]]],
  ]);
  reject([
    ["[1, 'a'] | sort", 'Only two numbers or two texts can be compared'],
    ["['a'] | sum", "Each item that 'sum' adds must be a number, but it is text."],
    ["'abc' | join", "The input of 'join' must be a list, but it is text."],
    ["people | sort(attribute='nam')", "Item 0 of the list has no 'nam'. Did you mean 'name'?"],
    ["people | unique('name')", "'case_sensitive' must be true or false, but it is text."],
    ['5 | length', "The input of 'length' must be a list, an object or text, but it is 5."],
    ['[1] | batch(0)', "'linecount' must be a whole number from 1"],
  ]);
});

describe('selection', () => {
  check([
    ["people | map('name')", ['Bo', 'al', 'Cy']],
    ["people | map(attribute='name')", ['Bo', 'al', 'Cy']],
    ["people | map('address.city', default='?')", ['Ulm', 'Bonn', '?']],
    ["people | map('tags.0', default=null)", ['x', null, 'y']],
    ["['a', 'b'] | map('upper')", ['A', 'B']],
    ["[[1, 2], [3]] | map('first')", [1, 3]],
    ["[{'first': 1}] | map(attribute='first')", [1]],
    ["['a.b'] | map('replace', '.', '-')", ['a-b']],
    ['[1.26, 2] | map("round", 1)', [1.3, 2]],
    ['[[1, 2], [3, 4]] | map(1)', [2, 4]],
    ["[0, 1, '', 'a', null] | select", [1, 'a']],
    ['[0, 1] | reject', [0]],
    ["[1, 2, 3] | select('gt', 1)", [2, 3]],
    ["[1, 2, 3] | select('>=', 2)", [2, 3]],
    ["[1, 2, 3] | select('lt', 3) | select('<=', 1)", [1]],
    ["['a', 'b'] | select('in', 'bc')", ['b']],
    ["[1, 2, 3] | reject('in', [1, 3])", [2]],
    ["[1, 'a'] | select('string')", ['a']],
    ["['é', 'e'] | select('ne', 'e')", ['é']],
    ["people | selectattr('age', 'lt', 40) | map('name')", ['al']],
    ["people | selectattr('tags') | map('name')", ['Bo', 'Cy']],
    ["people | rejectattr('tags') | map('name')", ['al']],
    ["people | selectattr('address.city', 'defined') | map('name')", ['Bo', 'al']],
    ["people | rejectattr('address.city', 'defined') | map('name')", ['Cy']],
  ]);
  reject([
    ["people | map('nam')", "Item 0 of the list has no 'nam'. Did you mean 'name'?"],
    ["people | selectattr('address.city', 'eq', 'Ulm')", "Item 2 of the list has no 'address.city'."],
    ["[1] | map('name')", "Item 0 of the list, which is a number, has no 'name'."],
    ["[[]] | map('first')", "'first' has no result for item 0."],
    ["[1] | select('gt')", "The test 'gt' needs a value to compare with."],
    ["[1] | select('odd', 1)", "The test 'odd' takes no value."],
    ["'abc' | map('upper')", "The input of 'map' must be a list, but it is text."],
  ]);
});

describe('objects', () => {
  check([
    ['order | keys', ['id', 'open', 'note']],
    ['order | values', [7, true, null]],
    [
      'order | items',
      [
        ['id', 7],
        ['open', true],
        ['note', null],
      ],
    ],
    ["order | get('id')", 7],
    ["order | get('note', 'x')", null],
    ["order | get('nope', 'x')", 'x'],
    ["order | get('constructor', 'x')", 'x'],
    ['[1, 2] | get(-1)', 2],
    ['[1, 2] | get(5, 0)', 0],
    ["order.note | default('x')", null],
    ["order.note | default('x', true)", 'x'],
    ["order.nope | default('x')", 'x'],
    ['order.nope | d', ''],
  ]);
  reject([
    ["order | get('nope')", "'get' has no result here. If it may be missing, add '| default(…)'."],
    ["'abc' | get(0)", "The input of 'get' must be"],
    ['[] | keys', "The input of 'keys' must be an object, but it is a list."],
  ]);
});

describe('JSON', () => {
  check([
    ['order | json', '{"id":7,"open":true,"note":null}'],
    ["{'a': 1} | tojson(2)", '{\n  "a": 1\n}'],
    ['\'{"a":[1,null]}\' | fromjson', { a: [1, null] }],
    ["'null' | fromjson", null],
  ]);
  reject([
    ["'{a}' | fromjson", "The input of 'fromjson' is not valid JSON."],
    ['1 | fromjson', "The input of 'fromjson' must be text, but it is 1."],
    ['1 | json(99)', "'indent' must be a whole number from 0 to 8, but it is 99."],
  ]);
});

describe('the tables, the source of the documentation', () => {
  test('give every filter and test a unique name and a sentence', () => {
    expect(new Set(filterNames).size).toBe(filters.flatMap(({ name, aliases = [] }) => [name, ...aliases]).length);
    for (const { name, description } of [...filters, ...predicates]) {
      expect(name).toMatch(/^[a-z]+$/);
      expect(description).toMatch(/^[A-Z].*\.$/s);
    }
  });

  test('have a case here for each filter, by its name or an alias', () => {
    const used = new Set(checked.flatMap((text) => [...text.matchAll(/\|\s*(\w+)/g)].map(([, name]) => name)));
    const names = filters.map(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((some) => !some.some((name) => used.has(name)))).toEqual([]);
    // The filters that workflows are most likely to use, by their Jinja names.
    const usual =
      'upper lower title trim length default join json round truncate date first last map select sort unique';
    expect(usual.split(' ').filter((name) => !used.has(name) || !filterNames.includes(name))).toEqual([]);
  });

  test('list required parameters before optional ones', () => {
    for (const { parameters } of filters) {
      const mayBeLeftOut = parameters.map(
        (parameter) => parameter.optional === true || parameter.default !== undefined,
      );
      expect(mayBeLeftOut).toEqual(mayBeLeftOut.toSorted());
    }
  });

  test('have no name that leads to a prototype', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(findFilter(name)).toBeUndefined();
    }
  });
});

describe('integers that a double cannot hold', () => {
  check([
    // As texts, '1…' sorts before '9…'.
    ["'9007199254740993' < '10000000000000000000'", true],
    ["'10000000000000000000' > '9007199254740993'", true],
    ["'-9007199254740993' < '-9007199254740992'", true],
    ["'9007199254740993' > 5", true],
    ["5 >= '9007199254740993'", false],
    ["['10000000000000000000', 7, '9007199254740993'] | sort", [7, '9007199254740993', '10000000000000000000']],
    ["['10000000000000000000', '9007199254740993', 7] | max", '10000000000000000000'],
    ["['10000000000000000000', '9007199254740993'] | min", '9007199254740993'],
    ["['10000000000000000000', '9007199254740993'] | select('gt', 5) | length", 2],
    // With another text, all are texts.
    ["['b', '9007199254740993', '10000000000000000000'] | sort", ['10000000000000000000', '9007199254740993', 'b']],
    ["'0123456789012345678' < '1'", true],
    ["'123456789' < '2'", true],
    ["'9007199254740991.5' | int", 9007199254740991],
    ["' -4503599627370497.9 ' | int", -4503599627370497],
    ["'1e20' | int", 1e20],
    ['[9007199254740991, 2, -3] | sum', 9007199254740990],
    ['[9007199254740991, 1] | sum', 2 ** 53],
    ['[9007199254740991, 2, 0.5] | sum', 9007199254740991 + 2 + 0.5],
    ['[1e20, 1] | sum', 1e20],
  ]);
  reject([
    ["'9007199254740993' * 2", 'integers outside ±(2^53 − 1) are text, because a calculation would round them'],
    ["1 + '9007199254740993'", 'integers outside ±(2^53 − 1) are text'],
    ['[9007199254740991, 2] | sum', "The result of 'sum' has too many digits: a number holds integers exactly up to"],
    ["'9007199254740993.5' | int", "The input of 'int' has too many digits to be exact: leave it text."],
    ["[1] | sum(start='a')", "'start' must be a number, but it is text."],
    ["['9007199254740993', 1] | sum", 'integers outside ±(2^53 − 1) are text'],
    ["['9007199254740993', 1, 'b'] | sort", 'Only two numbers or two texts can be compared'],
  ]);
});
