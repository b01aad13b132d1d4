import type { CronPattern } from './cron-pattern.ts';

/** Milliseconds of a day without a change of clocks. */
export const dayMs = 86_400_000;

/** 1 searches forwards, -1 backwards. */
export type Direction = 1 | -1;

/**
 * Two dates of a pattern are less than this apart: a leap day on a given weekday can be forty years after the previous
 * one, as 2100 is not a leap year.
 */
export const rarestYears = 41;

/** The dates of a pattern. Dates are numbered: 0 is 1970-01-01. */
export class CronDates {
  readonly #pattern: Pick<CronPattern, 'months' | 'matchesDay'>;
  /** The matching days of a month, one bit each, by the shape of the month. */
  readonly #days = new Map<number, number>();

  constructor(pattern: Pick<CronPattern, 'months' | 'matchesDay'>) {
    this.#pattern = pattern;
  }

  /** Whether any date matches. Every shape of a month occurs in some year. */
  exist(): boolean {
    const weekdays = [0, 1, 2, 3, 4, 5, 6];
    return this.#pattern.months.some((month) =>
      lengthsOf(month).some((length) => weekdays.some((firstWeekday) => this.#daysOf(length, firstWeekday) !== 0)),
    );
  }

  /** The first date from `date` on that matches; backwards, the last until `date`. Null if there is none. */
  nearest(date: number, direction: Direction): number | null {
    const start = new Date(date * dayMs);
    const year = start.getUTCFullYear();
    const month = start.getUTCMonth();
    let days = this.#daysIn(year, month) & reached(start.getUTCDate(), direction);
    for (let ahead = 0; ahead <= rarestYears * 12; ) {
      if (days !== 0) {
        const day = direction === 1 ? lowestBit(days) : highestBit(days);
        return Date.UTC(year, month + direction * ahead, day) / dayMs;
      }
      ahead += 1;
      days = this.#daysIn(year, month + direction * ahead);
    }
    return null;
  }

  /** The matching days of a month, which is counted from 0 and may be outside the year. */
  #daysIn(year: number, month: number): number {
    if (!this.#pattern.months.includes((((month % 12) + 12) % 12) + 1)) return 0;
    const first = Date.UTC(year, month, 1);
    const length = (Date.UTC(year, month + 1, 1) - first) / dayMs;
    return this.#daysOf(length, new Date(first).getUTCDay());
  }

  #daysOf(length: number, firstWeekday: number): number {
    const shape = length * 7 + firstWeekday;
    const known = this.#days.get(shape);
    if (known !== undefined) return known;
    let days = 0;
    for (let day = 1; day <= length; day++) {
      if (this.#pattern.matchesDay(day, { length, firstWeekday })) days |= 1 << day;
    }
    this.#days.set(shape, days);
    return days;
  }
}

function lengthsOf(month: number): readonly number[] {
  if (month === 2) return [28, 29];
  return [4, 6, 9, 11].includes(month) ? [30] : [31];
}

/** The bits from a day on, or until it. */
function reached(day: number, direction: Direction): number {
  return direction === 1 ? -1 << day : ~(-2 << day);
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}
