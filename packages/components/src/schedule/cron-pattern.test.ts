import { expect, it, test } from 'vitest';
import { parseCron } from './cron-pattern.ts';
import { cronTimetable } from './cron-timetable.ts';

/** The first times in UTC after the start of 2027, a Friday. */
function times(text: string, count: number): string[] {
  const { pattern, issue } = parseCron(text);
  if (pattern === undefined) throw new Error(issue);
  const table = cronTimetable(pattern, 'UTC');
  const found: string[] = [];
  for (let at: number | null = Date.UTC(2027, 0, 1) - 1000; found.length < count; ) {
    at = table.next(at, { anchor: 0, lastFire: null });
    if (at === null) break;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

test.each([
  ['0 0 L * *', ['2027-01-31T00:00', '2027-02-28T00:00']],
  ['0 0 L,15 * *', ['2027-01-15T00:00', '2027-01-31T00:00']],
  ['0 0 L-3 * *', ['2027-01-28T00:00', '2027-02-25T00:00']],
  ['0 0 L-30 * *', ['2027-01-01T00:00', '2027-03-01T00:00']],
  ['0 0 15W * *', ['2027-01-15T00:00', '2027-02-15T00:00']],
  ['0 0 1W 5 *', ['2027-05-03T00:00', '2028-05-01T00:00']],
  ['0 0 31w * *', ['2027-01-29T00:00', '2027-03-31T00:00']],
  ['0 0 LW * *', ['2027-01-29T00:00', '2027-02-26T00:00']],
  ['0 0 * * MON#1', ['2027-01-04T00:00', '2027-02-01T00:00']],
  ['0 0 * * 5#2', ['2027-01-08T00:00', '2027-02-12T00:00']],
  ['0 0 * * FRI#L', ['2027-01-29T00:00', '2027-02-26T00:00']],
  ['0 0 * * 5L', ['2027-01-29T00:00', '2027-02-26T00:00']],
  ['0 0 * * FRI#5', ['2027-01-01T00:00', '2027-01-29T00:00'].slice(1)],
  ['0 0 ? * 7', ['2027-01-03T00:00', '2027-01-10T00:00']],
  ['0 0 * * sat-sun', ['2027-01-02T00:00', '2027-01-03T00:00']],
  ['0 0 13 * FRI', ['2027-01-01T00:00', '2027-01-08T00:00', '2027-01-13T00:00']],
  ['0 0 13 * +FRI', ['2027-08-13T00:00', '2028-10-13T00:00']],
  ['5/15 3 * * *', ['2027-01-01T03:05', '2027-01-01T03:20', '2027-01-01T03:35', '2027-01-01T03:50']],
  ['0 5/15 * * *', ['2027-01-01T05:00', '2027-01-01T20:00', '2027-01-02T05:00']],
  ['0 0 1 JAN/6 *', ['2027-01-01T00:00', '2027-07-01T00:00']],
  ['@hourly', ['2027-01-01T00:00', '2027-01-01T01:00']],
  [' @Weekly ', ['2027-01-03T00:00', '2027-01-10T00:00']],
  ['@monthly', ['2027-01-01T00:00', '2027-02-01T00:00']],
  ['@annually', ['2027-01-01T00:00', '2028-01-01T00:00']],
  ['@midnight', ['2027-01-01T00:00', '2027-01-02T00:00']],
])('%s has the times %j', (text, expected) => {
  expect(times(text, expected.length)).toEqual(expected);
});

test.each([
  ['0 0 * * 1/2', "its day of the week '1/2' has a step without a range: write 1-SAT/2"],
  ['0 0 * * MON/2', "its day of the week 'MON/2' has a step without a range: write MON-SAT/2"],
  ['0 0 * * 9/2', "its day of the week '9/2' must be * or made of 0 to 7 or SUN to SAT"],
  ['0 0 * * *#1', "its day of the week '*#1' must be"],
  ['0 0 * * L', "its day of the week 'L' must be"],
  ['0 0 L-31 * *', "its day of the month 'L-31' must be"],
  ['0 0 L-3W * *', "its day of the month 'L-3W' must be"],
  ['0 0 0W * *', "its day of the month '0W' must be"],
  ['0 0 1,,2 * *', "its day of the month '1,,2' must be"],
  ['0 22-2 * * *', "its hour '22-2' must be"],
  ['*/61 * * * *', "its minute '*/61' must be"],
])('%s is invalid: %s', (text, message) => {
  expect(parseCron(text).issue).toContain(`is not a cron pattern: ${message}`);
});

test.each([
  'TZ=Europe/Berlin 0 9 * * *',
  'CRON_TZ=UTC @daily',
  ' tz=UTC 0 0 * * * *',
])('%s is invalid, because the time zone is another setting', (text) => {
  expect(parseCron(text).issue).toBe("must not begin with a time zone: set it in 'timezone'");
});

it('follows the clock if its minutes or hours have * or a step', () => {
  const followers = ['* 2 * * *', '0 * * * *', '0 ? * * *', '0 */2 * * *', '0 1-9/2 * * *', '5/15 2 * * *', '@hourly'];
  const others = ['0 2 * * *', '0,30 1-3 * * *', '0-59 0-23 * * *', '* 0 2 * * *', '*/5 30 2 * * *', '@daily'];
  expect(followers.map((text) => parseCron(text).pattern?.followsClock)).toEqual(followers.map(() => true));
  expect(others.map((text) => parseCron(text).pattern?.followsClock)).toEqual(others.map(() => false));
});
