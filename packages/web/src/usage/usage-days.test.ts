import { expect, it } from 'vitest';
import { costText, dayText, everyDay, lastDays, measureText } from './usage-days.ts';

const figures = { llm_calls: 1, input_tokens: 1200, output_tokens: 80, cost_usd: 0.0014 };

it('a period of days ends with the current day in UTC, over the end of a month', () => {
  expect(lastDays(7, Date.UTC(2026, 2, 3, 23, 59))).toEqual({ since: '2026-02-25', until: '2026-03-03' });
  expect(lastDays(1, Date.UTC(2026, 2, 3))).toEqual({ since: '2026-03-03', until: '2026-03-03' });
});

it('days without calls are shown as empty', () => {
  const days = everyDay({ since: '2026-02-27', until: '2026-03-01', days: [{ day: '2026-02-28', ...figures }] });
  expect(days.map(({ day, llm_calls }) => [day, llm_calls])).toEqual([
    ['2026-02-27', 0],
    ['2026-02-28', 1],
    ['2026-03-01', 0],
  ]);
});

it('figures are written with their units', () => {
  expect(measureText(figures, 'tokens')).toBe('1,280 tokens');
  expect(measureText(figures, 'calls')).toBe('1 call');
  expect([0, 0.00001, 0.0014, 0.5, 12.4].map(costText)).toEqual(['$0', '< $0.0001', '$0.0014', '$0.5000', '$12.40']);
  expect(dayText('2026-01-31')).toBe('31 Jan');
});
