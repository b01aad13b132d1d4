import { describe, expect, it } from 'vitest';
import { moment } from './timestamp.ts';

describe('a time in a request', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:30:15.123456', '2026-01-31T12:30:15.123Z'],
    ['2026-01-31 12:30:15Z', '2026-01-31T12:30:15.000Z'],
    ['2026-01-31T12:30:15+02:00', '2026-01-31T10:30:15.000Z'],
  ])('may be written %s', (text, meant) => {
    expect(new Date(moment.parse(text)).toISOString()).toBe(meant);
  });

  it.each([
    '',
    'now',
    '2026',
    '2026-13-01',
    '2027-02-30',
    '2026-02-29T10:00',
    '2026-01-31T25:00',
    '31.01.2026',
    '1767225600',
  ])('is not %j', (text) => {
    expect(moment.safeParse(text).error?.issues[0]?.message).toContain('ISO 8601');
  });
});
