import { describe, expect, test } from 'vitest';
import { duplicateNames, entriesText, mapFormat, mapText, mapValue } from './map-entries.ts';

const rows = [
  { name: 'b', text: '1' },
  { name: '', text: '' },
  { name: 'a', text: 'x' },
];

describe('the rows of names and values', () => {
  test('mean a map, without the rows that have nothing in them', () => {
    expect(mapFormat(false).read(entriesText(rows))).toEqual({ value: { b: 1, a: 'x' } });
    expect(mapFormat(true).read(entriesText(rows))).toEqual({ value: { b: '1', a: 'x' } });
    expect(mapFormat(true).read(entriesText([{ name: '', text: '' }]))).toEqual({ value: undefined });
  });

  test('cannot be stored while a name is missing or occurs twice', () => {
    const unnamed = [...rows, { name: '', text: 'waits for its name' }];
    expect(mapFormat(false).read(entriesText(unnamed))).toEqual({ problem: 'A value has no name.' });
    const twice = [...rows, { name: 'b', text: 'later' }];
    expect(mapFormat(false).read(entriesText(twice))).toEqual({ problem: 'The name b occurs twice.' });
    expect([...duplicateNames(twice)]).toEqual(['b']);
  });
});

test.each([
  ['5', 5],
  ['-1.5', -1.5],
  ['1e+21', 1e21],
  ['9.007199254740992e+15', 2 ** 53],
  ['9007199254740992', '9007199254740992'],
  ['7.0', '7.0'],
  ['1.50', '1.50'],
  ['007', '007'],
  ['9007199254740993', '9007199254740993'],
  ['true', true],
  ['null', null],
  ['{"a":1}', { a: 1 }],
  ['[1]', [1]],
  ['{{ trigger.payload.id }}', '{{ trigger.payload.id }}'],
  ['5 apples', '5 apples'],
  ['truely', 'truely'],
  ['open', 'open'],
])('the text %j in a map means %j, and has the same text again', (text, value) => {
  expect(mapValue(text)).toEqual(value);
  expect(mapValue(mapText(value))).toEqual(value);
});

test('a text that looks like JSON keeps its type', () => {
  expect(mapText('5')).toBe('"5"');
});
