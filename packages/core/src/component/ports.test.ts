import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataTypes, fits, isSubComponentType } from './ports.ts';

const types = fc.constantFrom(...dataTypes);

describe('a port', () => {
  test('takes its own type', () => {
    for (const type of dataTypes) expect(fits(type, type)).toBe(true);
  });

  test.each([
    ['number', 'text', true],
    ['boolean', 'text', true],
    ['object', 'text', false],
    ['text', 'number', false],
    ['any', 'array', true],
    ['array', 'any', true],
    ['llm', 'any', false],
    ['any', 'tool', false],
    ['llm', 'tool', false],
  ] as const)('from %s to %s: %s', (source, target, expected) => {
    expect(fits(source, target)).toBe(expected);
  });

  test('of a sub-component type takes nothing else and goes nowhere else', () => {
    fc.assert(
      fc.property(types, types, (a, b) => {
        if (a === b || (!isSubComponentType(a) && !isSubComponentType(b))) return;
        expect(fits(a, b)).toBe(false);
      }),
    );
  });
});
