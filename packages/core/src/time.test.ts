import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, instantAfter, parseInstant } from './time.ts';

const instants = fc
  .tuple(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.integer({ min: 0, max: 999 }))
  .map(([ms, micros]) => ms + micros / 1000);

test('a moment is written in UTC with microseconds and no zone', () => {
  expect(formatInstant(Date.UTC(2026, 10, 21, 4, 5, 6, 7) + 0.089)).toBe('2026-11-21T04:05:06.007089');
});

test('writing and reading a moment gives the same text again', () => {
  fc.assert(
    fc.property(instants, (at) => {
      const text = formatInstant(at);
      expect(formatInstant(parseInstant(text))).toBe(text);
    }),
  );
});

test('texts sort as their moments do', () => {
  fc.assert(
    fc.property(instants, instants, (a, b) => {
      if (Math.abs(a - b) < 0.01) return;
      expect(formatInstant(a) < formatInstant(b)).toBe(a < b);
    }),
  );
});

test('a change always comes after the one before, even when the clock stands still or goes back', () => {
  fc.assert(
    fc.property(instants, instants, (previous, now) => {
      expect(formatInstant(instantAfter(previous, now)) > formatInstant(previous)).toBe(true);
    }),
  );
});
