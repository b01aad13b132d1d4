import { exactJson } from '@millrace/core/editing';
import { describe, expect, test } from 'vitest';
import { copiedText, matchesIn, opened, pathText, rowsOf, scalarText } from './json-rows.ts';

const none: ReadonlySet<string> = new Set();
const names = (value: unknown, toggled = none, openDepth = 2) =>
  rowsOf(value, toggled, openDepth).map(({ depth, name }) => `${' '.repeat(depth)}${name}`);

describe('the lines of a value', () => {
  test('contain the parts that start open, and close and open by their id', () => {
    const value = { a: { b: { c: 1 } }, d: [true] };
    expect(names(value)).toEqual(['null', ' a', '  b', ' d', '  0']);
    expect(names(value, new Set(['$/"a"']))).toEqual(['null', ' a', ' d', '  0']);
    expect(names(value, new Set(['$/"a"/"b"']))).toEqual(['null', ' a', '  b', '   c', ' d', '  0']);
  });

  test('show a list of a million items as at most 100 ranges', () => {
    const value = Array.from({ length: 1_000_000 }, (_, index) => index);
    const rows = rowsOf(value, none, 2);
    expect(rows.length).toBe(101);
    expect(rows[1]).toMatchObject({ name: '0 … 9999', kind: 'range', size: 10_000, isOpen: false });
  });

  test('a position in a long list is shown by opening the ranges around it', () => {
    const value = { items: Array.from({ length: 25_000 }, (_, id) => ({ id })) };
    const toggled = opened(value, { toggled: none, openDepth: 1 }, ['items', 12_345, 'id']);
    const row = rowsOf(value, toggled, 1).find(({ path }) => pathText(path) === '.items[12345].id');
    expect(row?.value).toBe(12_345);
    expect(rowsOf(value, toggled, 1).length).toBeLessThan(310);
  });

  test('an empty list or object cannot be opened', () => {
    expect(rowsOf([], none, 2)).toMatchObject([{ size: 0, isOpen: false }]);
  });
});

describe('the search in a value', () => {
  test('finds names and scalars in any case, up to a limit', () => {
    const value = { Name: 'x', list: [{ name: 'y' }, 'NAMED', 4] };
    expect(matchesIn(value, 'name', 10).map(pathText)).toEqual(['.Name', '.list[0].name', '.list[1]']);
    expect(matchesIn(value, 'name', 2).length).toBe(2);
    expect(matchesIn(value, ' ', 10)).toEqual([]);
  });
});

test('paths are written as in expressions', () => {
  expect(pathText(['items', 3, 'first name', 'id'])).toBe('.items[3]["first name"].id');
});

test('a text is in quotes in the tree, so that an integer which a number cannot hold looks like what it is', () => {
  const value = exactJson('[9007199254740993, 9007199254740991, 1e400, 0.1, "9007199254740993"]') as unknown[];
  const shown = value.map((item) => scalarText(item, 40));
  expect(shown).toEqual(['"9007199254740993"', '9007199254740991', '"1e400"', '0.1', '"9007199254740993"']);
});

test.each([
  [9007199254740992],
  [{ n: 1e20, list: [-(2 ** 60), 1.5e300, 0.1] }],
  [[true, null, 'a', '12345678901234567890']],
])('the value %j is copied so that it is the same when it is pasted as a payload', (value) => {
  expect(exactJson(copiedText(value))).toEqual(value);
});

test('a text is copied without quotes', () => {
  expect(copiedText('a "b"\n')).toBe('a "b"\n');
});

test('only the visible part of a long text is written', () => {
  expect(scalarText('a"b', 10)).toBe('"a\\"b"');
  expect(scalarText('x'.repeat(5_000_000), 3)).toBe('"xxx…');
  expect(scalarText(null, 3)).toBe('null');
});
