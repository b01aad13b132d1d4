import { expect, test } from 'vitest';
import { exceedsFact, maxFactValue } from './facts.ts';

test('a value is too large by the length of its JSON', () => {
  expect(exceedsFact('x'.repeat(maxFactValue - 2))).toBe(false);
  expect(exceedsFact('x'.repeat(maxFactValue - 1))).toBe(true);
  expect(exceedsFact('"'.repeat(maxFactValue / 2))).toBe(true);
});
