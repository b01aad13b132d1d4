import { cronFields, fieldValues, itemValues } from './cron-field.ts';

/** A month as far as the choice of its days depends on it. */
export interface MonthShape {
  readonly length: number;
  /** The weekday of its first day; Sunday is 0. */
  readonly firstWeekday: number;
}

/** Whether a day of a month matches. */
export type DayTest = (day: number, month: MonthShape) => boolean;

/** What the day of the month, or the day of the week, of a pattern demands. */
interface DayField {
  readonly matches: DayTest;
  /** Whether it is `*`. */
  readonly isAny: boolean;
}

/** The day of the week of a pattern. */
interface WeekdayField extends DayField {
  /** Whether it begins with `+`: the day of the month must match too. */
  readonly isAnd: boolean;
}

/** The days that match both fields. If both are restricted, one is enough, as it always was in cron. */
export function matchingDays(days: DayField, weekdays: WeekdayField): DayTest {
  if (weekdays.isAny) return days.matches;
  if (weekdays.isAnd || days.isAny) return (day, month) => days.matches(day, month) && weekdays.matches(day, month);
  return (day, month) => days.matches(day, month) || weekdays.matches(day, month);
}

/** Reads the day of the month: numbers, `L`, `L-3`, `15W` and `LW`; null if it is invalid. */
export function dayField(text: string): DayField | null {
  const items = text.toUpperCase().split(',');
  const matches = anyOf(items.map(dayTest));
  if (matches === null) return null;
  // `*,L` restricts nothing either.
  return { matches, isAny: items.filter((item) => item !== 'L').join(',') === '*' };
}

/** Reads the day of the week: numbers, names, `MON#1`, `FRI#L` and `FRIL`; null if it is invalid. */
export function weekdayField(text: string): WeekdayField | null {
  const isAnd = text.startsWith('+');
  const list = isAnd ? text.slice(1) : text;
  const matches = anyOf(list.split(',').map(weekdayTest));
  return matches === null ? null : { matches, isAny: list === '*', isAnd };
}

function anyOf(tests: readonly (DayTest | null)[]): DayTest | null {
  const valid = tests.filter((test) => test !== null);
  if (valid.length < tests.length) return null;
  return (day, month) => valid.some((test) => test(day, month));
}

function dayTest(item: string): DayTest | null {
  if (item === 'LW') return (day, month) => day === nearestWorkingDay(month.length, month);
  const [, end, before = '0'] = /^(L)(?:-(\d+))?$/.exec(item) ?? [];
  if (end !== undefined) return Number(before) > 30 ? null : (day, { length }) => day === length - Number(before);
  const [, target] = /^(\d+)W$/.exec(item) ?? [];
  if (target !== undefined) return workingDayTest(Number(target));
  const values = itemValues(item, cronFields.day);
  return values === null ? null : (day) => values.includes(day);
}

function workingDayTest(target: number): DayTest | null {
  if (target < 1 || target > 31) return null;
  return (day, month) => target <= month.length && day === nearestWorkingDay(target, month);
}

/** Within the month: from Sunday the first, it is Monday, and from Saturday the first, it is Monday the third. */
function nearestWorkingDay(target: number, month: MonthShape): number {
  switch (weekdayOf(target, month)) {
    case 0:
      return target === month.length ? target - 2 : target + 1;
    case 6:
      return target === 1 ? target + 2 : target - 1;
    default:
      return target;
  }
}

function weekdayTest(item: string): DayTest | null {
  const [, days = item, which] = /^(.+)#(0*[1-5]|L)$/i.exec(item) ?? /^(.+)(L)$/i.exec(item) ?? [];
  const values = which !== undefined && days === '*' ? null : fieldValues(days, cronFields.weekday);
  if (values === null) return null;
  const wanted = new Set(values.map((value) => value % 7));
  const isWanted: DayTest = (day, month) => wanted.has(weekdayOf(day, month));
  if (which === undefined) return isWanted;
  if (which.toUpperCase() === 'L') return (day, month) => day > month.length - 7 && isWanted(day, month);
  return (day, month) => Math.ceil(day / 7) === Number(which) && isWanted(day, month);
}

function weekdayOf(day: number, { firstWeekday }: MonthShape): number {
  return (firstWeekday + day - 1) % 7;
}
