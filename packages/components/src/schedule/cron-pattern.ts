import { type DayTest, dayField, matchingDays, weekdayField } from './cron-days.ts';
import { type CronField, cronFields, fieldValues } from './cron-field.ts';

/** The times of a day, as lists in order. None is empty. */
export interface DayTimes {
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
}

/** The local times at which a pattern fires. */
export interface CronPattern {
  readonly times: DayTimes;
  /** 1 to 12, in order. */
  readonly months: readonly number[];
  readonly matchesDay: DayTest;
  /**
   * Whether it fires whenever the clock shows one of its times, however often that is. Otherwise it fires exactly once
   * for each of its times, also for those that the clock skips or repeats.
   */
  readonly followsClock: boolean;
}

/** A pattern, or why it is invalid. */
export type ParsedCron =
  | { readonly pattern: CronPattern; readonly issue?: never }
  | { readonly pattern?: never; readonly issue: string };

/** Five or six fields, or a nickname such as `@daily`. */
const cronShape = /^(?:@[a-z]+|\S+(?:\s+\S+){4,5})$/i;

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * SUN'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  // Known to cron, but not offered: one name for one pattern is enough.
  ['@annually', '0 0 1 1 *'],
  ['@midnight', '0 0 * * *'],
]);
const offered = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];

/** Reads a pattern of five or six fields, or a nickname. */
export function parseCron(text: string): ParsedCron {
  const trimmed = text.trim();
  if (/^(?:CRON_)?TZ=/i.test(trimmed)) return { issue: "must not begin with a time zone: set it in 'timezone'" };
  if (!cronShape.test(trimmed))
    return { issue: 'must be a cron pattern of 5 or 6 fields: [second] minute hour day month weekday' };
  const written = trimmed.startsWith('@') ? nicknames.get(trimmed.toLowerCase()) : trimmed;
  const fields = written?.split(/\s+/) ?? [];
  if (fields.length < 5) return { issue: `must be one of ${offered.join(', ')}, or a cron pattern of 5 or 6 fields` };
  return parseFields(fields.length === 5 ? ['0', ...fields] : fields);
}

function parseFields(written: readonly string[]): ParsedCron {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = written.map(withoutQuestionMark);
  const seconds = fieldValues(second, cronFields.second);
  if (seconds === null) return invalid(cronFields.second, second);
  const minutes = fieldValues(minute, cronFields.minute);
  if (minutes === null) return invalid(cronFields.minute, minute);
  const hours = fieldValues(hour, cronFields.hour);
  if (hours === null) return invalid(cronFields.hour, hour);
  const days = dayField(day);
  if (days === null) return invalid(cronFields.day, day);
  const months = fieldValues(month, cronFields.month);
  if (months === null) return invalid(cronFields.month, month);
  const weekdays = weekdayField(weekday);
  if (weekdays === null) return invalidWeekday(weekday);
  const matchesDay = matchingDays(days, weekdays);
  const followsClock = isRecurring(minute) || isRecurring(hour);
  return { pattern: { times: { hours, minutes, seconds }, months, matchesDay, followsClock } };
}

/** Quartz writes `?` for a day that is not restricted. */
function withoutQuestionMark(field: string): string {
  return field.replaceAll('?', '*');
}

/** A field with `*` or a step describes a rhythm, and other fields name single times. */
function isRecurring(field: string): boolean {
  return /[*/]/.test(field);
}

function invalid({ name, values }: CronField, text: string): ParsedCron {
  return { issue: `is not a cron pattern: its ${name} '${text}' must be * or made of ${values}` };
}

function invalidWeekday(text: string): ParsedCron {
  const range = text.replace('/', '-SAT/');
  if (!/^\w+\//.test(text) || weekdayField(range) === null) return invalid(cronFields.weekday, text);
  const issue = `its ${cronFields.weekday.name} '${text}' has a step without a range: write ${range}`;
  return { issue: `is not a cron pattern: ${issue}` };
}
