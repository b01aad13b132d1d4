import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextSearch } from './text-search.ts';

test('finds the same offset as indexOf', () => {
  // Two letters, and parts around the length at which the algorithm changes, so that near misses are common.
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 });
  fc.assert(
    fc.property(text, fc.nat(300), fc.integer({ min: 28, max: 60 }), fc.nat(5), (whole, start, length, from) => {
      for (const part of [whole.slice(start, start + length), `${whole.slice(0, length)}b`, 'a'.repeat(length)]) {
        expect(new TextSearch(part).indexIn(whole, from)).toBe(whole.indexOf(part, from));
      }
    }),
    { numRuns: 1_000 },
  );
});
