import { expect, test } from 'vitest';
import { readTest } from './last-test.ts';

const result = { ok: true, message: '', latencyMs: 12, at: 1000, version: 'v1' };

test('a stored test result counts only for the version of the credential that was tested', () => {
  expect(readTest(JSON.stringify(result), 'v1')).toEqual(result);
  expect(readTest(JSON.stringify(result), 'v2')).toBeNull();
});

test.each([null, '', 'null', '{}', '{"version":"v1"}'])('a stored text %j is no result', (text) => {
  expect(readTest(text, 'v1')).toBeNull();
});
