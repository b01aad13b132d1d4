import type { DrawnPattern } from './drawn-patterns.testkit.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** A moment that belongs to a time on the clock. */
interface ShownTime {
  readonly at: number;
  readonly shown: number;
  /** Whether the clock is put forward past the time at this moment. */
  readonly isSkipped: boolean;
}

/** Five days in a zone. */
export interface ZoneDays {
  readonly timezone: string;
  /** The start of the third of the days, in UTC. Near it, the clock is changed. */
  readonly middle: number;
  /** What the clock shows at each minute. */
  readonly minutes: readonly ShownTime[];
  /** For each time on the clock, the moment when it is shown first, or is skipped. */
  readonly times: readonly ShownTime[];
}

/** Reads the clock of a zone at each minute of the two days before and the three days from a date on. */
export function zoneDays(timezone: string, date: string): ZoneDays {
  const middle = Date.parse(`${date}T00:00Z`);
  const format = new Intl.DateTimeFormat('en-u-hc-h23', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const minutes = Array.from({ length: 5 * 1440 }, (_, index) => {
    const at = middle - 2 * dayMs + index * minuteMs;
    // 3/14/27, 02:30
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = format.format(at).split(/\D+/).map(Number);
    const shown = Date.UTC(year < 70 ? 2000 + year : 1900 + year, month - 1, day, hour, minute);
    return { at, shown, isSkipped: false };
  });
  return { timezone, middle, minutes, times: timesOnce(minutes) };
}

function timesOnce(minutes: readonly ShownTime[]): readonly ShownTime[] {
  const times = new Map<number, ShownTime>();
  for (const minute of minutes) if (!times.has(minute.shown)) times.set(minute.shown, minute);
  for (const [index, { at, shown }] of minutes.entries()) {
    const before = minutes[index - 1]?.shown ?? shown;
    for (let skipped = before + minuteMs; skipped < shown; skipped += minuteMs) {
      if (!times.has(skipped)) times.set(skipped, { at, shown: skipped, isSkipped: true });
    }
  }
  return [...times.values()];
}

/** The fires of a pattern in these days: each minute of the days is checked. A range of the result is to the second. */
export function referenceTimes(pattern: DrawnPattern, days: ZoneDays): ReferenceTimes {
  const isDay = new Map<number, boolean>();
  const matches = (shown: number) => {
    const minute = shown / minuteMs;
    if (!pattern.minutes.has(minute % 60) || !pattern.hours.has(Math.floor(minute / 60) % 24)) return false;
    const day = Math.floor(shown / dayMs);
    if (!isDay.has(day)) isDay.set(day, pattern.isDate(dateOf(day)));
    return isDay.get(day) === true;
  };
  const candidates = pattern.followsClock ? days.minutes : days.times;
  return new ReferenceTimes(
    pattern,
    candidates.filter(({ shown }) => matches(shown)),
  );
}

function dateOf(day: number): { readonly year: number; readonly month: number; readonly day: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** The fires of a pattern in a few days. */
export class ReferenceTimes {
  readonly #pattern: DrawnPattern;
  readonly #moments: readonly ShownTime[];

  constructor(pattern: DrawnPattern, moments: readonly ShownTime[]) {
    this.#pattern = pattern;
    this.#moments = moments;
  }

  /** The first fires between two moments, both included. */
  first(from: number, until: number, count: number): number[] {
    const minutes = this.#minutes(from, until);
    return this.#fires(minutes.slice(0, count + 1), from, until).slice(0, count);
  }

  /** The last fires between two moments, both included, in order. */
  last(from: number, until: number, count: number): number[] {
    const minutes = this.#minutes(from, until);
    return this.#fires(minutes.slice(-count - 1), from, until).slice(-count);
  }

  /** The minutes with a fire. */
  #minutes(from: number, until: number): number[] {
    const near = this.#moments.map(({ at }) => at).filter((at) => at + minuteMs > from && at <= until);
    return [...new Set(near)].sort((one, other) => one - other);
  }

  #fires(minutes: readonly number[], from: number, until: number): number[] {
    const wanted = new Set(minutes);
    const fires = this.#moments
      .filter(({ at }) => wanted.has(at))
      .flatMap(({ at, isSkipped }) => (isSkipped ? [at] : this.#pattern.seconds.map((second) => at + second * 1000)));
    return [...new Set(fires)].filter((at) => at >= from && at <= until).sort((one, other) => one - other);
  }
}
