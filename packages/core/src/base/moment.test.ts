import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant } from '../time.ts';
import { momentOf } from './moment.ts';

describe('a point in time', () => {
  it('is read from ISO 8601 text as JavaScript and this service write it', () => {
    const instants = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(instants, (at) => {
        expect(momentOf(new Date(at).toISOString())).toBe(at);
        expect(momentOf(formatInstant(at))).toBe(at);
      }),
    );
  });

  it.each([
    ['2026-03-01', '2026-03-01T00:00:00Z'],
    ['2026-03-01T10:30', '2026-03-01T10:30:00Z'],
    [' 2026-03-01 10:30:15.5 ', '2026-03-01T10:30:15.500Z'],
    ['2026-03-01T10:30:00+05:30', '2026-03-01T05:00:00Z'],
    ['2026-03-01T10:30:00-0800', '2026-03-01T18:30:00Z'],
    ['2026-03-01t10:30:00z', '2026-03-01T10:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('%j is %s', (text, iso) => {
    expect(momentOf(text)).toBe(Date.parse(iso));
  });

  it('is read from a number as milliseconds', () => {
    expect(momentOf(1_700_000_000_000.5)).toBe(1_700_000_000_000.5);
  });

  it.each([
    '',
    '1',
    '2026',
    '2026-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-01-01T24:30',
    '2026-01-01T10',
    'now',
    true,
    null,
    [0],
  ])('is not %j', (value) => {
    expect(momentOf(value)).toBe(null);
  });
});
