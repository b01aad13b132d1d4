import { expect, test } from 'vitest';
import { cronText, presets } from './cron-text.ts';

test.each([
  ['0 9 * * *', 'Every day at 09:00.'],
  ['30 17 * * MON-FRI', 'At 17:30, Monday to Friday.'],
  ['0 9 * * 1', 'At 09:00, every Monday.'],
  ['0 9 1 * *', 'At 09:00, on day 1 of each month.'],
  ['*/5 * * * *', 'Every 5 minutes.'],
  ['15 * * * *', 'Every hour at minute 15.'],
  ['0 9 * 6 *', null],
  ['0 9,17 * * *', null],
  ['0 0 9 * * *', null],
  ['nonsense', null],
])('%j means %j', (pattern, text) => {
  expect(cronText(pattern)).toBe(text);
});

test('every suggested pattern has a sentence', () => {
  for (const { pattern } of presets) expect(cronText(pattern)).not.toBeNull();
});
