import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseCron } from './cron-pattern.ts';
import { cronTimetable } from './cron-timetable.ts';
import { type DrawnPattern, drawnPatterns } from './drawn-patterns.testkit.ts';
import { referenceTimes, type ZoneDays, zoneDays } from './reference-times.testkit.ts';

/** `npm run test:schedules` checks 20,000. */
const patternCount = Number(process.env.SCHEDULE_PATTERNS ?? 300);
const hourMs = 3_600_000;

function timetable(text: string, timezone: string) {
  const { pattern, issue } = parseCron(text);
  if (pattern === undefined) throw new Error(`${text}: ${issue}`);
  return cronTimetable(pattern, timezone);
}

/** The times after `from`, until `until`: at most `count`. */
function nextTimes(table: ReturnType<typeof timetable>, { from, until = Infinity, count }: Search): number[] {
  const times: number[] = [];
  for (let at: number | null = from; times.length < count; ) {
    at = table.next(at, { anchor: 0, lastFire: null });
    if (at === null || at > until) break;
    times.push(at);
  }
  return times;
}

interface Search {
  readonly from: number;
  readonly until?: number;
  readonly count: number;
}

function iso(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

/** Dates of UTC on which clocks change. */
const changes: Record<string, readonly string[]> = {
  UTC: ['2027-03-14'],
  'America/New_York': ['2027-03-14', '2027-11-07'],
  'Europe/Berlin': ['2027-03-28', '2027-10-31'],
  'Pacific/Auckland': ['2027-04-03', '2027-09-25'],
  // By half an hour.
  'Australia/Lord_Howe': ['2027-04-03', '2027-10-02'],
  // By two hours.
  'Antarctica/Troll': ['2027-03-28', '2027-10-31'],
  // At midnight.
  'Africa/Cairo': ['2027-04-29', '2027-10-28'],
  'America/Sao_Paulo': ['2018-02-18', '2018-11-04'],
  'Asia/Beirut': ['2027-03-27', '2027-10-30'],
  // Around Ramadan.
  'Africa/Casablanca': ['2024-03-10', '2024-04-14'],
  // Other rules from then on; Apia skipped a whole day.
  'Pacific/Apia': ['2011-12-30', '2021-04-03'],
  'Asia/Kathmandu': ['1985-12-31'],
  'Asia/Pyongyang': ['2015-08-14', '2018-05-04'],
  'America/Caracas': ['2007-12-09', '2016-05-01'],
};
const zones = Object.entries(changes).map(([timezone, dates]) => dates.map((date) => zoneDays(timezone, date)));

describe('the reference', () => {
  test.each(
    zones.flat().map((days) => [days.timezone, iso(days.middle), days] as const),
  )('has the change of clocks in %s near %s', (timezone, _date, { minutes, times, middle }) => {
    const jumps = minutes.filter(({ at, shown }, index) => at - shown !== at - shownBefore(minutes, index));
    expect(jumps.filter(({ at }) => Math.abs(at - middle) < 30 * hourMs)).toHaveLength(timezone === 'UTC' ? 0 : 1);
    expect(times.length).toBeGreaterThan(minutes.length - 200);
  });
});

/** What the clock would have shown without a change. */
function shownBefore(minutes: ZoneDays['minutes'], index: number): number {
  const before = minutes[index - 1];
  return before === undefined ? (minutes[0]?.shown ?? 0) : before.shown + 60_000;
}

describe('the times of a random pattern', () => {
  const moment = fc.record({ which: fc.nat(1), minutes: fc.integer({ min: -720, max: 1800 }), ms: fc.nat(59_999) });
  const moments = fc.array(moment, { minLength: zones.length, maxLength: zones.length });

  it('are those of a check of every minute, forwards and backwards, near changes of clocks', () => {
    let compared = 0;
    fc.assert(
      fc.property(drawnPatterns, moments, (pattern, starts) => {
        for (const [index, dates] of zones.entries()) {
          const { which = 0, minutes = 0, ms = 0 } = starts[index] ?? {};
          const days = dates[which % dates.length];
          if (days === undefined) continue;
          compared += compare(pattern, days, days.middle + minutes * 60_000 + ms);
        }
      }),
      { numRuns: patternCount },
    );
    if (process.env.SCHEDULE_PATTERNS !== undefined) console.log({ patternCount, zones: zones.length, compared });
    expect(compared).toBeGreaterThan(patternCount * zones.length);
  });

  /** Compares the times around a moment; returns how many there are. */
  function compare(pattern: DrawnPattern, days: ZoneDays, start: number): number {
    const table = timetable(pattern.text, days.timezone);
    const expected = referenceTimes(pattern, days);
    const name = `${pattern.text} in ${days.timezone}, ${iso(start)}`;
    const [from, until] = [days.middle - 36 * hourMs, days.middle + 60 * hourMs];
    const after = expected.first(start + 1, until, 8);
    expect(nextTimes(table, { from: start, until, count: 8 }).map(iso), name).toEqual(after.map(iso));
    const before = expected.last(from, start, 8);
    expect(table.last({ from, until: start, anchor: 0, limit: 8 }).map(iso), name).toEqual(before.map(iso));
    return after.length + before.length;
  }
});

describe('when clocks change', () => {
  test.each([
    // A skipped time of a list fires when the clock is put forward, besides the others.
    ['0 2,14 * * *', 'America/New_York', '2027-03-14T05:00Z', ['2027-03-14T07:00:00', '2027-03-14T18:00:00']],
    ['0,30 2 14 3 *', 'America/New_York', '2027-03-01', ['2027-03-14T07:00:00', '2028-03-14T06:00:00']],
    ['0 0,12 * * *', 'Africa/Cairo', '2027-04-29T21:30Z', ['2027-04-29T22:00:00', '2027-04-30T09:00:00']],
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00Z', ['2018-11-04T03:00:00', '2018-11-05T02:00:00']],
    // A skipped time fires together with a time at the moment of the change.
    ['0 2,3 * * *', 'Europe/Berlin', '2027-03-28', ['2027-03-28T01:00:00', '2027-03-29T00:00:00']],
    ['0 0-23 * * *', 'Europe/Berlin', '2027-03-28', ['2027-03-28T01:00:00', '2027-03-28T02:00:00']],
    // A repeated time of a list fires once.
    ['0 1,13 * * *', 'America/New_York', '2027-11-07T04:00Z', ['2027-11-07T05:00:00', '2027-11-07T18:00:00']],
    ['15,45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T14:30Z', ['2027-04-03T14:45:00', '2027-04-04T14:45:00']],
    ['30,50 1 * * *', 'America/New_York', '2027-11-07T06:10Z', ['2027-11-08T06:30:00', '2027-11-08T06:50:00']],
    ['0 0-23 * * *', 'Europe/Berlin', '2027-10-31', ['2027-10-31T02:00:00', '2027-10-31T03:00:00']],
    // Seconds do not make a rhythm: a minute is skipped as a whole, or fires once.
    ['* 30 2 * * *', 'America/New_York', '2027-03-14T05:00Z', ['2027-03-14T07:00:00', '2027-03-15T06:30:00']],
    ['*/30 30 1 * * *', 'America/New_York', '2027-11-07T05:30:30Z', ['2027-11-08T06:30:00', '2027-11-08T06:30:30']],
    // A rhythm follows the clock: what it skips is left out, and what it shows twice fires twice.
    ['*/30 2 * * *', 'America/New_York', '2027-03-14T05:00Z', ['2027-03-15T06:00:00', '2027-03-15T06:30:00']],
    ['0 */2 * * *', 'America/New_York', '2027-03-14T04:59Z', ['2027-03-14T05:00:00', '2027-03-14T08:00:00']],
    ['30 * * * *', 'America/New_York', '2027-11-07T05:00Z', ['2027-11-07T05:30:00', '2027-11-07T06:30:00']],
    ['30 1-3/2 * * *', 'America/New_York', '2027-11-07T05:00Z', ['2027-11-07T05:30:00', '2027-11-07T06:30:00']],
    // Apia had no 30 December 2011.
    ['0 9 30 12 *', 'Pacific/Apia', '2011-12-01', ['2011-12-30T10:00:00', '2012-12-29T19:00:00']],
  ])('%s in %s after %s has the right times', (cron, timezone, from, expected) => {
    const table = timetable(cron, timezone);
    const times = nextTimes(table, { from: Date.parse(from), count: 2 });
    expect(times.map(iso)).toEqual(expected);
    const [first = 0, second = 0] = times;
    expect(table.last({ from: Date.parse(from) + 1000, until: second, anchor: 0, limit: 5 })).toEqual([first, second]);
  });

  it('a rhythm on dates on which the clock always skips its hour has no next time', () => {
    const table = timetable('*/30 2 * 3 SUN#2', 'America/New_York');
    const from = Date.UTC(2027, 0, 1);
    expect(nextTimes(table, { from, count: 1 })).toEqual([]);
    expect(table.last({ from, until: from + 10 * 366 * 24 * hourMs, anchor: 0, limit: 5 })).toEqual([]);
  });
});

describe('a search', () => {
  it.each([
    '0 0 29 2 MON',
    '0 0 29 2 +MON',
    '*/7 2 29 2 +MON',
    '* * * * * *',
    '0 0 30 2 *',
    '*/30 2 * 3 SUN#2',
  ])('for %s takes little time', (cron) => {
    const table = timetable(cron, 'America/New_York');
    const search = () => {
      const before = process.threadCpuUsage();
      table.fires();
      table.next(Date.UTC(2027, 2, 13), { anchor: 0, lastFire: null });
      table.last({ from: Date.UTC(2026, 2, 13), until: Date.UTC(2027, 2, 13), anchor: 0, limit: 10 });
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    // Microseconds. Usual are 50 to 500, and 8,000 for the last of them; a walk by days would need seconds.
    expect(Math.min(search(), search(), search())).toBeLessThan(200_000);
  });

  it('ends with the year 9999', () => {
    const table = timetable('0 0 1 1 *', 'Europe/Berlin');
    const from = Date.UTC(9998, 5, 1);
    expect(nextTimes(table, { from, count: 5 }).map(iso)).toEqual(['9998-12-31T23:00:00', '9999-12-31T23:00:00']);
    expect(nextTimes(table, { from: 8.64e15, count: 1 })).toEqual([]);
  });
});
