import fc from 'fast-check';

/** A calendar date; the month is counted from 0, as in `Date`. */
interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** A random pattern as a text, and what it means, which is not read from the text. */
export interface DrawnPattern {
  readonly text: string;
  readonly seconds: readonly number[];
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly isDate: (date: CalendarDate) => boolean;
  /** Whether its minutes or hours have `*` or a step. */
  readonly followsClock: boolean;
}

interface Values {
  readonly text: string;
  readonly values: readonly number[];
  readonly isRecurring: boolean;
}

function span(from: number, until: number, step = 1): number[] {
  return Array.from({ length: Math.floor((until - from) / step) + 1 }, (_, index) => from + index * step);
}

/** Lists, ranges, steps and `*`, of values from 0 to `last`. */
function valuesUpTo(last: number, value: fc.Arbitrary<number>): fc.Arbitrary<Values> {
  const step = fc.integer({ min: 1, max: last });
  const range = fc
    .tuple(value, value)
    .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) }));
  const plain = fc.oneof(
    value.map((from) => ({ text: String(from), values: [from] })),
    range.map(({ from, to }) => ({ text: `${from}-${to}`, values: span(from, to) })),
  );
  const lists = fc.array(plain, { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    values: items.flatMap(({ values }) => values),
    isRecurring: false,
  }));
  const rhythms = fc.oneof(
    fc.constant({ text: '*', values: span(0, last) }),
    step.map((by) => ({ text: `*/${by}`, values: span(0, last, by) })),
    fc.tuple(value, step).map(([from, by]) => ({ text: `${from}/${by}`, values: span(from, last, by) })),
    fc.tuple(range, step).map(([{ from, to }, by]) => ({ text: `${from}-${to}/${by}`, values: span(from, to, by) })),
  );
  return fc.oneof({ weight: 3, arbitrary: lists }, { weight: 1, arbitrary: rhythms.map(recurring) });
}

function recurring(values: Pick<Values, 'text' | 'values'>): Values {
  return { ...values, isRecurring: true };
}

interface Days {
  readonly text: string;
  readonly isAny: boolean;
  readonly has: (date: CalendarDate) => boolean;
}

function weekdayOf({ year, month, day }: CalendarDate): number {
  return new Date(Date.UTC(year, month, day)).getUTCDay();
}

/** The dates of a month, in order. */
function monthOf({ year, month }: CalendarDate): CalendarDate[] {
  return span(1, 31)
    .map((day) => ({ year, month, day }))
    .filter(({ day }) => new Date(Date.UTC(year, month, day)).getUTCMonth() === month);
}

/** The working days of a month, the nearest to a day first. */
function workingDays(date: CalendarDate, near: number): CalendarDate[] {
  return monthOf(date)
    .filter((other) => weekdayOf(other) % 6 !== 0)
    .sort((one, other) => Math.abs(one.day - near) - Math.abs(other.day - near));
}

const anyDay: Days = { text: '*', isAny: true, has: () => true };

const dayNumber = fc.integer({ min: 1, max: 31 });
const monthDays: fc.Arbitrary<Days> = fc.oneof(
  fc.constant({ text: 'L', isAny: false, has: (date: CalendarDate) => date.day === monthOf(date).length }),
  fc.constant({ text: 'LW', isAny: false, has: (date: CalendarDate) => date.day === workingDays(date, 31)[0]?.day }),
  dayNumber.map((wanted) => ({ text: String(wanted), isAny: false, has: ({ day }: CalendarDate) => day === wanted })),
  fc.integer({ min: 0, max: 30 }).map((before) => ({
    text: `L-${before}`,
    isAny: false,
    has: (date: CalendarDate) => date.day === monthOf(date).length - before,
  })),
  dayNumber.map((wanted) => ({
    text: `${wanted}W`,
    isAny: false,
    has: (date: CalendarDate) => wanted <= monthOf(date).length && workingDays(date, wanted)[0]?.day === date.day,
  })),
  dayNumber.map((from) => ({ text: `${from}-31`, isAny: false, has: ({ day }: CalendarDate) => day >= from })),
);

const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', '7'];
const weekday = fc.nat(7);
const weekDays: fc.Arbitrary<Days> = fc.oneof(
  weekday.map((wanted) => ({
    text: names[wanted] ?? '',
    isAny: false,
    has: (date: CalendarDate) => weekdayOf(date) === wanted % 7,
  })),
  weekday.map((from) => ({
    text: `${from}-7`,
    isAny: false,
    has: (date: CalendarDate) => weekdayOf(date) >= from || weekdayOf(date) === 0,
  })),
  fc.tuple(weekday, fc.integer({ min: 1, max: 5 })).map(([wanted, nth]) => ({
    text: `${names[wanted]}#${nth}`,
    isAny: false,
    has: (date: CalendarDate) => sameWeekday(date, wanted)[nth - 1]?.day === date.day,
  })),
  fc.tuple(weekday, fc.constantFrom('L', '#L')).map(([wanted, last]) => ({
    text: `${names[wanted]}${last}`,
    isAny: false,
    has: (date: CalendarDate) => sameWeekday(date, wanted).at(-1)?.day === date.day,
  })),
);

function sameWeekday(date: CalendarDate, wanted: number): CalendarDate[] {
  return monthOf(date).filter((other) => weekdayOf(other) === wanted % 7);
}

/** Most clocks change in these hours. */
const nightHour = fc.constantFrom(0, 1, 1, 2, 2, 3, 23);
const hours = valuesUpTo(23, fc.oneof(nightHour, fc.nat(23)));
const minutes = valuesUpTo(59, fc.oneof(fc.constantFrom(0, 15, 30, 45, 59), fc.nat(59)));
const seconds = fc.option(valuesUpTo(59, fc.nat(59)), { freq: 4, nil: null });
/** Usually every day, so that most patterns have times near a change. */
const days = fc.oneof({ weight: 2, arbitrary: fc.constant(anyDay) }, { weight: 1, arbitrary: monthDays });
const daysOfWeek = fc.oneof({ weight: 2, arbitrary: fc.constant(anyDay) }, { weight: 1, arbitrary: weekDays });

/** Random patterns. */
export const drawnPatterns: fc.Arbitrary<DrawnPattern> = fc
  .record({ seconds, minutes, hours, days, daysOfWeek, isAnd: fc.boolean() })
  .map((drawn) => {
    const plus = drawn.isAnd && !drawn.daysOfWeek.isAny ? '+' : '';
    const fields = [drawn.minutes.text, drawn.hours.text, drawn.days.text, '*', `${plus}${drawn.daysOfWeek.text}`];
    return {
      text: [...(drawn.seconds === null ? [] : [drawn.seconds.text]), ...fields].join(' '),
      seconds: [...new Set(drawn.seconds?.values ?? [0])].sort((one, other) => one - other),
      minutes: new Set(drawn.minutes.values),
      hours: new Set(drawn.hours.values),
      isDate: combined(drawn.days, drawn.daysOfWeek, drawn.isAnd),
      followsClock: drawn.minutes.isRecurring || drawn.hours.isRecurring,
    };
  });

function combined(one: Days, other: Days, isAnd: boolean): (date: CalendarDate) => boolean {
  const areBoth = isAnd || one.isAny || other.isAny;
  return (date) => (areBoth ? one.has(date) && other.has(date) : one.has(date) || other.has(date));
}
