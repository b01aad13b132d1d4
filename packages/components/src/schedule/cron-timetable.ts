import type { Instant, Timetable } from '@millrace/core';
import { dayMs, rarestYears } from './cron-dates.ts';
import type { CronPattern } from './cron-pattern.ts';
import { LocalTimes } from './local-times.ts';
import { quietMs, ZoneClock } from './zone-clock.ts';

/** The end of the year 9999, after which a date has no ordinary text. */
const endOfTime = Date.UTC(10_000, 0, 1);

/** A pattern may have dates, but only times that the clock skips on all of them. */
const searchedMs = rarestYears * 366 * dayMs;

/** The fires of a pattern in a zone. All times are whole seconds. */
interface Fires {
  /** The first from a moment on; null if there is none. */
  from(at: Instant): Instant | null;
  /** The last until a moment; null if there is none after `oldest`. */
  until(at: Instant, oldest: Instant): Instant | null;
}

/** The timetable of a pattern in a time zone. */
export function cronTimetable(pattern: CronPattern, timezone: string): Timetable {
  const times = new LocalTimes(pattern);
  const clock = new ZoneClock(timezone);
  const fires = pattern.followsClock ? firesByClock(times, clock) : firesOnce(times, clock);
  return {
    fires: () => times.exist(),
    next(after, { lastFire }) {
      const start = wholeSecond(Math.max(after, lastFire ?? after)) + 1000;
      const next = start < endOfTime ? fires.from(start) : null;
      return next === null || next >= endOfTime ? null : next;
    },
    last({ from, until, limit }) {
      const found: Instant[] = [];
      for (let before = wholeSecond(Math.min(until, endOfTime)); found.length < limit; ) {
        const at = fires.until(before, from);
        if (at === null || at < from) break;
        found.push(at);
        before = at - 1000;
      }
      return found.reverse();
    },
  };
}

function wholeSecond(at: Instant): Instant {
  return Math.floor(at / 1000) * 1000;
}

/**
 * Each local time fires once: when the clock first shows it, or skips it. These moments are in the order of the local
 * times, so the search is a search of local times.
 */
function firesOnce(times: LocalTimes, clock: ZoneClock): Fires {
  return {
    from(at) {
      const time = times.nearest(clock.latestShown(at - 1000) + 1000, 1);
      return time === null ? null : clock.firstShown(time);
    },
    until(at) {
      const time = times.nearest(clock.latestShown(at), -1);
      return time === null ? null : clock.firstShown(time);
    },
  };
}

/** Every moment fires at which the clock shows one of the times: between two changes, these are at a fixed distance. */
function firesByClock(times: LocalTimes, clock: ZoneClock): Fires {
  return {
    from(start) {
      for (let from = start; from - start < searchedMs; ) {
        const offset = clock.offsetAt(from);
        const time = times.nearest(from + offset, 1);
        if (time === null) return null;
        const at = time - offset;
        const end = Math.min(at, from + quietMs);
        const change = clock.changeIn(from, end);
        if (change === null && end === at) return at;
        // Changes of clocks in a time without dates move none of them by more than two days.
        from = change ?? Math.max(end, at - quietMs);
      }
      return null;
    },
    until(end, oldest) {
      for (let until = end; until >= oldest && end - until < searchedMs; ) {
        const offset = clock.offsetAt(until);
        const time = times.nearest(until + offset, -1);
        if (time === null) return null;
        const at = time - offset;
        const start = Math.max(at, until - quietMs);
        const change = clock.changeIn(start, until);
        if (change === null && start === at) return at;
        until = change === null ? Math.min(start, at + quietMs) : change - 1000;
      }
      return null;
    },
  };
}
