import { describe, expect, test } from 'vitest';
import { duplicateNames, type Entry, entriesOf, mapText, mapValue, valuesFrom } from './map-entries.ts';

const rows: readonly Entry[] = [
  { id: 0, name: 'b', value: '1' },
  { id: 1, name: '', value: 'waits for its name' },
  { id: 2, name: 'a', value: '2' },
];

describe('the rows of names and values', () => {
  test('stay while they show the same map, with their empty rows', () => {
    expect(entriesOf({ b: '1', a: '2' }, rows)).toBe(rows);
    expect(entriesOf({ b: '3' }, rows)).toEqual([{ id: 0, name: 'b', value: '3' }]);
  });

  test('mean a map without empty names, and with the first of equal names', () => {
    expect(valuesFrom([...rows, { id: 3, name: 'b', value: 'later' }])).toEqual({ b: '1', a: '2' });
    expect([...duplicateNames([...rows, { id: 3, name: 'b', value: 'later' }])]).toEqual(['b']);
  });
});

test.each([
  ['5', 5],
  ['-1.5', -1.5],
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
