import { CronDates, type Direction, dayMs } from './cron-dates.ts';
import type { CronPattern, DayTimes } from './cron-pattern.ts';

/** A time that a clock shows, as milliseconds since 1970-01-01 on the same clock. */
export type LocalTime = number;

/** The times of a pattern on a clock that never changes. */
export class LocalTimes {
  readonly #times: DayTimes;
  readonly #dates: CronDates;

  constructor(pattern: CronPattern) {
    this.#times = pattern.times;
    this.#dates = new CronDates(pattern);
  }

  /** Whether there is any. */
  exist(): boolean {
    return this.#dates.exist();
  }

  /** The first one from `time` on; backwards, the last one until `time`. Null if there is none. */
  nearest(time: LocalTime, direction: Direction): LocalTime | null {
    const day = Math.floor(time / dayMs);
    const date = this.#dates.nearest(day, direction);
    if (date !== day) return date === null ? null : this.#firstOf(date, direction);
    const second = nearestSecond(this.#times, Math.floor(time / 1000) - day * 86_400, direction);
    if (second !== null) return day * dayMs + second * 1000;
    const other = this.#dates.nearest(day + direction, direction);
    return other === null ? null : this.#firstOf(other, direction);
  }

  #firstOf(date: number, direction: Direction): LocalTime {
    const { hours, minutes, seconds } = this.#times;
    return date * dayMs + secondOfDay([hours, minutes, seconds].map((list) => firstOf(list, direction))) * 1000;
  }
}

/** The nearest second of the day that is in the lists, from a second on in a direction; null if the day has no more. */
function nearestSecond({ hours, minutes, seconds }: DayTimes, second: number, direction: Direction): number | null {
  const lists = [hours, minutes, seconds];
  const digits = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  const unlisted = lists.findIndex((list, place) => !list.includes(digits[place] ?? 0));
  if (unlisted === -1) return second;
  // As in counting: the last place that can move on moves, and those after it start over.
  for (let place = unlisted; place >= 0; place--) {
    const moved = beyond(lists[place] ?? [], digits[place] ?? 0, direction);
    if (moved === undefined) continue;
    const rest = lists.slice(place + 1).map((list) => firstOf(list, direction));
    return secondOfDay([...digits.slice(0, place), moved, ...rest]);
  }
  return null;
}

function beyond(list: readonly number[], value: number, direction: Direction): number | undefined {
  return direction === 1 ? list.find((other) => other > value) : list.findLast((other) => other < value);
}

function firstOf(list: readonly number[], direction: Direction): number {
  return list.at(direction === 1 ? 0 : -1) ?? 0;
}

function secondOfDay([hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return (hour * 60 + minute) * 60 + second;
}
