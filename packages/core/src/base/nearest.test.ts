import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closest, nearest, suggestion } from './nearest.ts';

/** The Levenshtein distance by its definition, as a reference. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(restA, restB);
  return 1 + Math.min(distance(restA, b), distance(a, restB), distance(restA, restB));
}

describe('nearest', () => {
  test('finds the intended name of a typing error', () => {
    expect(nearest('lenght', ['first', 'length', 'last'])).toBe('length');
    expect(nearest('uper', ['lower', 'upper'])).toBe('upper');
    expect(nearest('TRIGGER', ['trigger', 'input'])).toBe('trigger');
  });

  test('finds nothing if no name is near', () => {
    expect(nearest('x', ['y'])).toBeUndefined();
    expect(nearest('payload', ['headers', 'query'])).toBeUndefined();
    expect(nearest('', ['a'])).toBeUndefined();
    expect(nearest('word', [])).toBeUndefined();
  });

  test('prefers the nearest, then the first', () => {
    expect(nearest('abcdef', ['abcdxx', 'abcdex', 'abcdey'])).toBe('abcdex');
  });

  test('handles thousands of long, almost equal names without quadratic cost', () => {
    const word = 'a'.repeat(255);
    expect(
      nearest(
        `${word.slice(1)}b`,
        Array.from({ length: 5000 }, () => `${'b'.repeat(6)}${word.slice(6)}`),
      ),
    ).toBeUndefined();
  });

  test('agrees with the definition of the distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (wanted, names) => {
        const limit = Math.floor(wanted.length / 3);
        const distances = names.map((name) => distance(wanted, name));
        const least = Math.min(...distances);
        expect(nearest(wanted, names)).toBe(least <= limit ? names[distances.indexOf(least)] : undefined);
      }),
    );
  });
});

test('a suggestion is a sentence, or empty', () => {
  expect(suggestion('uper', ['upper'])).toBe(" Did you mean 'upper'?");
  expect(suggestion('zzz', ['upper'])).toBe('');
});

test('a suggestion is never the word itself', () => {
  expect(suggestion('on_error', ['on_error'])).toBe('');
  expect(suggestion('on_error', ['on_error', 'on_errors'])).toBe(" Did you mean 'on_errors'?");
});

describe('closest', () => {
  test('names the nearest candidate for every word', () => {
    expect(closest('xyz', ['name'])).toBe('name');
    expect(closest('lable', ['name', 'label', 'tail'])).toBe('label');
    expect(closest('', ['long', 'id'])).toBe('id');
    expect(closest('a', [])).toBeUndefined();
  });

  test('compares only the beginning of a very long word', () => {
    expect(closest('slugs'.padEnd(1_000_000, 'x'), ['name', 'slug'])).toBeDefined();
  });
});
