import { expect, it } from 'vitest';
import { isTypedIn } from './key-place.ts';

const element = (properties: object): Element => ({ isContentEditable: false, ...properties }) as unknown as Element;

it.each([
  ['a field of one line', { tagName: 'INPUT', type: 'text' }, true],
  ['a field of several lines', { tagName: 'TEXTAREA' }, true],
  ['a list of choices, which a letter opens', { tagName: 'SELECT' }, true],
  ['a code field', { tagName: 'DIV', isContentEditable: true }, true],
  ['a checkbox', { tagName: 'INPUT', type: 'checkbox' }, false],
  ['a button', { tagName: 'BUTTON' }, false],
  ['a card of the canvas', { tagName: 'DIV' }, false],
])('in %s keys are text: see the last column', (_name, properties, expected) => {
  expect(isTypedIn(element(properties))).toBe(expected);
});
