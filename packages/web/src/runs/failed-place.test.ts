import { expect, test } from 'vitest';
import { failedPlace, valueAt } from './failed-place.ts';

test('the message of a failed expression names its field and its position', () => {
  const message = "rules[0].value: 'ordr' does not exist (line 2, column 14)";
  expect(failedPlace('expression', message)).toEqual({
    field: 'rules[0].value',
    reason: "'ordr' does not exist",
    line: 2,
    column: 14,
  });
  expect(failedPlace('http_status', message)).toBeNull();
  expect(failedPlace('expression', 'Something else.')).toBeNull();
});

test('the value of a field is found by its path', () => {
  const config = { rules: [{ value: 'a' }], headers: { 'X-Key': 'b' } };
  expect(valueAt(config, 'rules[0].value')).toBe('a');
  expect(valueAt(config, 'headers["X-Key"]')).toBe('b');
  expect(valueAt(config, 'rules[3].value')).toBeUndefined();
  expect(valueAt(config, 'toString')).toBeUndefined();
});
