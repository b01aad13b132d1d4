import { expect, it } from 'vitest';
import { ariaKeys, isPressed, keyText } from './keys.ts';

const press = { key: 'l', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

it.each([
  [{ ctrlKey: true, shiftKey: true, key: 'L' }, 'Mod+Shift+L', true],
  [{ metaKey: true, shiftKey: true }, 'Mod+Shift+L', true],
  [{ ctrlKey: true }, 'Mod+Shift+L', false],
  [{ ctrlKey: true, metaKey: true, shiftKey: true }, 'Mod+Shift+L', false],
  [{ key: 'a' }, 'A', true],
  [{ key: 'a', ctrlKey: true }, 'A', false],
  [{ key: '?', shiftKey: true }, '?', true],
  [{ key: '+', shiftKey: true }, '+', true],
  [{ key: 'ArrowLeft', altKey: true }, 'Alt+ArrowLeft', true],
  [{ key: 'ArrowLeft', altKey: true, shiftKey: true }, 'Alt+ArrowLeft', false],
  [{ key: 'ArrowLeft', altKey: true, shiftKey: true }, 'Alt+Shift+ArrowLeft', true],
])('the press %j is %s: %s', (change, keys, expected) => {
  expect(isPressed({ ...press, ...change }, keys)).toBe(expected);
});

it('names keys as the keyboard of the user does', () => {
  expect(['Mod+Shift+L', 'Alt+ArrowLeft', '+'].map((keys) => keyText(keys, false))).toEqual([
    'Ctrl+Shift+L',
    'Alt+←',
    '+',
  ]);
  expect(['Mod+Shift+L', 'Mod+Enter'].map((keys) => keyText(keys, true))).toEqual(['⌘⇧L', '⌘↵']);
  expect([ariaKeys('Mod+Shift+L', false), ariaKeys('Mod+K', true)]).toEqual(['Control+Shift+L', 'Meta+K']);
});
