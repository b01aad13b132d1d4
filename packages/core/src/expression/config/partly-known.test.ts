import { describe, expect, it } from 'vitest';
import { isKnown, partlyKnown, unknownText, unknownValue } from './partly-known.ts';

describe('a config value before its expressions are evaluated', () => {
  it('is known if it contains no expression', () => {
    const value = { a: [1, 'x', null], b: '} {' };
    expect(partlyKnown(value)).toBe(value);
    expect(isKnown(value)).toBe(true);
  });

  it('is of any type if it is one expression, and text if it only contains expressions', () => {
    const value = { all: ' {{ trigger.payload }} ', some: 'a {{ x }}', list: [1, '{{ x }}{{ y }}'], plain: 'x' };
    const known = partlyKnown(value);
    expect(known).toEqual({ all: unknownValue, some: unknownText, list: [1, unknownText], plain: 'x' });
    expect(isKnown(known)).toBe(false);
    expect(value.list[1]).toBe('{{ x }}{{ y }}');
  });

  it('is unknown if an expression cannot be parsed', () => {
    expect(partlyKnown({ a: '{{ (' })).toBe(unknownValue);
  });

  it('preserves a key that has a meaning on objects', () => {
    const known = partlyKnown(JSON.parse('{"__proto__": "{{ x }}"}'));
    expect(Object.entries(known ?? {})).toEqual([['__proto__', unknownValue]]);
  });
});
