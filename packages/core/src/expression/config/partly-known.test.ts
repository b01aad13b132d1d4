import { describe, expect, it } from 'vitest';
import { isKnown, partlyKnown, unknownText, unknownValue } from './partly-known.ts';

describe('a config value before its expressions are evaluated', () => {
  it('is known where it has none', () => {
    const value = { a: [1, 'x', null], b: '} {' };
    expect(partlyKnown(value)).toBe(value);
    expect(isKnown(value)).toBe(true);
  });

  it('is of any type where it is an expression, and text where it has one', () => {
    const value = { all: ' {{ trigger.payload }} ', some: 'a {{ x }}', list: [1, '{{ x }}{{ y }}'], plain: 'x' };
    const known = partlyKnown(value);
    expect(known).toEqual({ all: unknownValue, some: unknownText, list: [1, unknownText], plain: 'x' });
    expect(isKnown(known)).toBe(false);
    expect(value.list[1]).toBe('{{ x }}{{ y }}');
  });

  it('is as good as unknown where an expression cannot be read', () => {
    expect(partlyKnown({ a: '{{ (' })).toBe(unknownValue);
  });

  it('keeps a key that means something to objects', () => {
    const known = partlyKnown(JSON.parse('{"__proto__": "{{ x }}"}'));
    expect(Object.entries(known ?? {})).toEqual([['__proto__', unknownValue]]);
  });
});
