import { expect, test } from 'vitest';
import { durationText, parseDuration } from './duration.ts';

test.each([
  ['90', 'seconds', 90],
  ['1m 30s', 'seconds', 90],
  ['1m30s', 'seconds', 90],
  ['2 hours', 'seconds', 7200],
  ['1.5h', 'seconds', 5400],
  ['500ms', 'seconds', 0.5],
  ['500', 'milliseconds', 500],
  ['2s', 'milliseconds', 2000],
  ['1 day 1 min', 'seconds', 86_460],
] as const)('%j in %s is %d', (text, unit, value) => {
  expect(parseDuration(text, unit)).toBe(value);
});

test.each(['', 'soon', '5 parsecs', '-3s', '1m of 2s', '3 4'])('%j is not a duration', (text) => {
  expect(parseDuration(text, 'seconds')).toBeNull();
});

test('the text of a duration means the same duration', () => {
  for (const unit of ['seconds', 'milliseconds'] as const) {
    for (const value of [0, 1, 59, 60, 61, 3599, 3600, 86_399, 86_400, 90_061, 31_536_000]) {
      expect(parseDuration(durationText(value, unit), unit)).toBe(value);
    }
  }
});
