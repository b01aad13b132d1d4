import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, instantAfter, parseInstant } from './time.ts';

const instants = fc
  .tuple(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.integer({ min: 0, max: 999 }))
  .map(([ms, micros]) => ms + micros / 1000);

test('a point in time is written in UTC with microseconds and no zone', () => {
  expect(formatInstant(Date.UTC(2026, 10, 21, 4, 5, 6, 7) + 0.089)).toBe('2026-11-21T04:05:06.007089');
});

test('writing and reading a point in time returns the same text', () => {
  fc.assert(
    fc.property(instants, (at) => {
      const text = formatInstant(at);
      expect(formatInstant(parseInstant(text))).toBe(text);
    }),
  );
});

test('an invalid text is read as a point in time, so that its row can be shown', () => {
  fc.assert(fc.property(fc.string(), (text) => void expect(formatInstant(parseInstant(text))).toHaveLength(26)));
  expect(formatInstant(parseInstant('2026-11-21T04:05:06.00x089'))).toBe('0000-01-01T00:00:00.000000');
});

test('texts sort in the order of time', () => {
  fc.assert(
    fc.property(instants, instants, (a, b) => {
      if (Math.abs(a - b) < 0.01) return;
      expect(formatInstant(a) < formatInstant(b)).toBe(a < b);
    }),
  );
});

test('every point in time has a text, and texts sort in the order of time, however distant', () => {
  const moments = fc.double({ noNaN: true, min: -1e300, max: 1e300 });
  fc.assert(
    fc.property(moments, instants, (a, b) => {
      const [text, other] = [formatInstant(a), formatInstant(b)];
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
      if (Math.abs(a - b) >= 0.01) expect(text < other).toBe(a < b);
    }),
  );
  expect(formatInstant(Date.UTC(11_532, 0))).toBe('9999-12-31T23:59:59.999000');
});

test('a change is always later than the previous one, even if the clock stands still or goes back', () => {
  fc.assert(
    fc.property(instants, instants, (previous, now) => {
      expect(formatInstant(instantAfter(previous, now)) > formatInstant(previous)).toBe(true);
    }),
  );
});
