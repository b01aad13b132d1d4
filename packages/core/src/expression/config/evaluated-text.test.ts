import { expect, test } from 'vitest';
import type { Json } from '../../json.ts';
import type { Scope } from '../scope.ts';
import { evaluateText } from './evaluated-text.ts';

const values = new Map<string, Json>([['order', { id: 7, tags: ['a'] }]]);
const scope: Scope = { lookup: (name) => values.get(name), names: () => [...values.keys()] };
const evaluated = (text: string, isBare = false) => evaluateText({ text, isBare }, scope, 0);

test.each([
  ['{{ order.id }}', false, 7],
  ['no. {{ order.id }}', false, 'no. 7'],
  ['order.tags | length', true, 1],
  ['text', false, 'text'],
])('%j (bare: %s) has the value that a step gets', (text, isBare, value) => {
  expect(evaluated(text, isBare)).toEqual({ kind: 'value', value });
});

test.each([
  ['{{ order.ix }}', "'order.ix' does not exist", 10],
  ['{{ order.id | nothing }}', "There is no filter 'nothing'", 15],
  ['{{ 1 + }}', '', 8],
])('%j has an error at its column', (text, message, column) => {
  expect(evaluated(text)).toMatchObject({
    kind: 'error',
    message: expect.stringContaining(message),
    place: { column },
  });
});
