import { checkConfig, type JsonObject, type Timetable } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { perform } from './step.testkit.ts';
import { scheduleTimetable, triggerSchedule } from './trigger-schedule.ts';

function timetable(timing: JsonObject): Timetable {
  const found = scheduleTimetable(timing);
  if (found === null) throw new Error('it has no timetable');
  return found;
}

/** The next times at which the schedule fires after a time, in UTC, to the second. */
function fires(timing: JsonObject, from: string, count: number): string[] {
  const table = timetable(timing);
  const anchor = Date.parse(from);
  const found: string[] = [];
  for (let at: number | null = anchor; found.length < count; ) {
    at = table.next(at, { anchor, lastFire: null });
    if (at === null) break;
    found.push(new Date(at).toISOString().slice(0, 19));
  }
  return found;
}

describe('a pattern', () => {
  it.each([
    '0 0 30 2 *',
    '0 0 31 2,4,6,9,11 *',
    '0 0 0 30,31 2 *',
    '* * 31W 4 *',
    '0 12 31 2 +MON',
  ])('of %s never fires', (cron) => {
    expect(timetable({ cron, timezone: 'Europe/Berlin' }).fires()).toBe(false);
    expect(timetable({ cron }).next(Date.now(), { anchor: 0, lastFire: null })).toBeNull();
  });

  it('fires for the rarest dates and for all others', () => {
    const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
    const rare = weekdays.flatMap((day) => [`0 0 29 2 +${day}`, `0 0 * 2 ${day}#5`, `59 23 31 12 +${day}`]);
    for (const cron of [...rare, '0 0 29 2 *', '0 0 31 2 MON', '0 0 L 2 *', '* * * * * *', '@yearly']) {
      for (const timezone of ['UTC', 'Pacific/Kiritimati', 'America/Anchorage']) {
        expect(timetable({ cron, timezone }).fires(), cron).toBe(true);
      }
    }
  });

  it('is not needed by an interval, which always fires', () => {
    expect(timetable({ interval_seconds: 31_622_400 }).fires()).toBe(true);
  });
});

describe('the times of a cron pattern when clocks change', () => {
  test.each([
    // 2:30 does not exist: it fires at the moment when the clock is put forward.
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-03-28',
      ['2026-03-28T01:30:00', '2026-03-29T01:00:00', '2026-03-30T00:30:00'],
    ],
    [
      'America/New_York',
      '30 2 * * *',
      '2026-03-07T06:00Z',
      ['2026-03-07T07:30:00', '2026-03-08T07:00:00', '2026-03-09T06:30:00'],
    ],
    [
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-02T12:00Z',
      ['2026-10-02T15:45:00', '2026-10-03T15:30:00', '2026-10-04T15:15:00'],
    ],
    [
      'America/Sao_Paulo',
      '0 0 * * *',
      '2018-11-03',
      ['2018-11-03T03:00:00', '2018-11-04T03:00:00', '2018-11-05T02:00:00'],
    ],
    // A pattern for every half hour follows the actual hours: 2:00 and 2:30 are skipped only on the clock.
    [
      'Europe/Berlin',
      '*/30 * * * *',
      '2026-03-29T00:10Z',
      ['2026-03-29T00:30:00', '2026-03-29T01:00:00', '2026-03-29T01:30:00'],
    ],
  ])('in spring, in %s, of %s', (timezone, cron, from, expected) => {
    expect(fires({ cron, timezone }, from, 3)).toEqual(expected);
  });

  test.each([
    // 2:30 occurs twice, but fires once.
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24',
      ['2026-10-24T00:30:00', '2026-10-25T00:30:00', '2026-10-26T01:30:00'],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31',
      ['2026-10-31T05:30:00', '2026-11-01T05:30:00', '2026-11-02T06:30:00'],
    ],
    [
      'Pacific/Auckland',
      '30 2 * * *',
      '2026-04-03',
      ['2026-04-03T13:30:00', '2026-04-04T13:30:00', '2026-04-05T14:30:00'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-03',
      ['2026-04-03T14:45:00', '2026-04-04T14:45:00', '2026-04-05T15:15:00'],
    ],
    [
      'Europe/Berlin',
      '*/30 * * * *',
      '2026-10-25T00:10Z',
      ['2026-10-25T00:30:00', '2026-10-25T01:00:00', '2026-10-25T01:30:00'],
    ],
  ])('in autumn, in %s, of %s', (timezone, cron, from, expected) => {
    expect(fires({ cron, timezone }, from, 3)).toEqual(expected);
  });
});

describe('the times of a cron pattern', () => {
  it('have seconds if the pattern has six fields, and are in UTC without a time zone', () => {
    expect(fires({ cron: '15 30 9 * * MON-FRI' }, '2026-01-02T12:00Z', 2)).toEqual([
      '2026-01-05T09:30:15',
      '2026-01-06T09:30:15',
    ]);
  });

  it('may be empty', () => {
    expect(fires({ cron: '0 0 30 2 *' }, '2026-01-01', 1)).toEqual([]);
  });

  it('do not fire again after the clock was set back', () => {
    const lastFire = Date.UTC(2026, 0, 1, 12);
    const next = timetable({ cron: '0 * * * *' }).next(lastFire - 3_600_000, { anchor: 0, lastFire });
    expect(next).toBe(lastFire + 3_600_000);
  });
});

describe('the times of an interval', () => {
  it('are counted from its anchor, however much time has passed', () => {
    const { next } = timetable({ interval_seconds: 90 });
    const past = { anchor: 1000, lastFire: null };
    expect([1000, 1001, 90_999, 91_000, 500_000].map((after) => next(after, past))).toEqual([
      91_000, 91_000, 91_000, 181_000, 541_000,
    ]);
  });
});

describe('searching backwards', () => {
  const timings = fc.oneof(
    fc.record({
      cron: fc.constantFrom('* * * * *', '*/7 * * * *', '30 2 * * *', '0 0 * * 7', '5 30 1-3 * * *', '0 0 29 2 *'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
    }),
    fc.record({ interval_seconds: fc.integer({ min: 1, max: 100_000 }) }),
  );
  // Near a change of clocks in March, April, October or November, and far from one.
  const moments = fc
    .tuple(
      fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-07-01', '2026-10-25', '2026-11-01'),
      fc.nat(86_400_000),
    )
    .map(([day, ms]) => Date.parse(day) + ms);

  it('finds the same times as searching forwards', () => {
    fc.assert(
      fc.property(timings, moments, fc.integer({ min: 1, max: 12 }), (timing, anchor, count) => {
        const table = timetable(timing);
        const forward: number[] = [];
        for (let at = anchor; forward.length < count; ) {
          const next = table.next(at, { anchor, lastFire: null });
          if (next === null) break;
          forward.push(next);
          at = next;
        }
        const until = (forward.at(-1) ?? anchor) + 400;
        const from = forward[0] ?? anchor;
        expect(table.last({ from, until, anchor, limit: 100 })).toEqual(forward);
        expect(table.last({ from, until, anchor, limit: 2 })).toEqual(forward.slice(-2));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a config', () => {
  const issues = (config: JsonObject) =>
    checkConfig({ extra_config: config }, triggerSchedule as never).map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    );

  test.each([
    [{}],
    [{ cron: '*/5 * * * *' }],
    [{ cron: ' 0 0 9 * * MON-FRI ', timezone: 'Asia/Kathmandu', missed: 'all', overlap: 'parallel' }],
    [{ cron: '@daily' }],
    [{ interval_seconds: 1, trigger_payload: { a: [1, { b: null }] } }],
  ])('may be %j', (config) => {
    expect(issues(config)).toEqual([]);
  });

  test.each([
    [{ cron: '' }, /^extra_config.cron: must be a cron pattern of 5 or 6 fields/],
    [{ cron: '* * * *' }, /^extra_config.cron: must be a cron pattern of 5 or 6 fields/],
    [{ cron: '* * * * * * 2027' }, /^extra_config.cron: must be a cron pattern of 5 or 6 fields/],
    [{ cron: '2026-01-01T00:00:00' }, /^extra_config.cron: must be a cron pattern of 5 or 6 fields/],
    [
      { cron: '61 * * * *' },
      /^extra_config.cron: is not a cron pattern: its minute '61' must be \* or made of 0 to 59/,
    ],
    [{ cron: '61 * * * * *' }, /: its second '61' must be/],
    [{ cron: '* 24 * * *' }, /: its hour '24' must be \* or made of 0 to 23/],
    [{ cron: '0 0 0 * *' }, /: its day of the month '0' must be \* or made of 1 to 31/],
    [{ cron: '0 0 * 13 *' }, /: its month '13' must be \* or made of 1 to 12 or JAN to DEC/],
    [{ cron: '0 0 * * MON#9' }, /: its day of the week 'MON#9' must be/],
    [{ cron: '5-1 * * * *' }, /: its minute '5-1' must be/],
    [{ cron: '*/0 * 99 * *' }, /: its minute '\*\/0' must be/],
    [{ cron: '0 0 * * FRI#9' }, /1-5, MON,WED, MON#1 or FRI#L$/],
    [{ cron: '@sometimes' }, /^extra_config.cron: must be one of @hourly, @daily, @weekly, @monthly, @yearly, or/],
    [{ cron: '{{ 1 }} * * * *' }, /^extra_config.cron: /],
    [{ cron: '*'.repeat(501) }, /^extra_config.cron: /],
    [{ cron: '0 9 * * *', timezone: 'Berlin' }, /^extra_config.timezone: must be the name of a time zone/],
    [{ timezone: '+02:00' }, /^extra_config.timezone: must be the name of a time zone/],
    [{ interval_seconds: 0 }, /^extra_config.interval_seconds: /],
    [{ interval_seconds: 1.5 }, /^extra_config.interval_seconds: /],
    [{ interval_seconds: 60, cron: '@daily' }, /^extra_config.interval_seconds: and cron exclude each other/],
    [{ missed: 'some' }, /^extra_config.missed: /],
    [{ overlap: 'some' }, /^extra_config.overlap: /],
    [{ trigger_payload: { now: '{{ run.id }}' } }, /^extra_config.trigger_payload: must not contain expressions/],
  ])('%j is rejected, with the field in the message', (config, message) => {
    expect(issues(config)).toEqual([expect.stringMatching(message)]);
  });

  it('with any text as its pattern causes an issue at most, never an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0159*/-,LW#?@ +MONdaily') }), (cron) => {
        issues({ cron });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the node', () => {
  it('outputs the scheduled time and the payload', async () => {
    const input = { payload: { report: 'daily' }, text: '2026-01-05T09:00:00.000000' };
    expect(await perform(triggerSchedule, { input })).toEqual({
      outputs: { timestamp: '2026-01-05T09:00:00.000000', payload: { report: 'daily' } },
    });
  });

  it('outputs the current time when a person starts it', async () => {
    const now = Date.UTC(2026, 0, 1, 9);
    expect(await perform(triggerSchedule, { input: { payload: {}, text: '' }, now })).toEqual({
      outputs: { timestamp: '2026-01-01T09:00:00.000000', payload: {} },
    });
  });
});
