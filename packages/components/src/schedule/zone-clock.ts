import type { Instant } from '@millrace/core';
import { IANAZone } from 'luxon';
import { dayMs } from './cron-dates.ts';
import type { LocalTime } from './local-times.ts';
import { zoneNamed } from './zone-named.ts';

/** A time span with at most one change of clocks in any zone, and longer than any change, which is a day at most. */
export const quietMs = 2 * dayMs;

/** No zone has ever been further ahead of UTC. */
const furthestAhead = 16 * 3_600_000;

/** The clocks of a time zone. All times are whole seconds. */
export class ZoneClock {
  readonly #zone: IANAZone;

  constructor(timezone: string) {
    // A zone without a clock is rejected before.
    this.#zone = zoneNamed(timezone) ?? IANAZone.create(timezone);
  }

  /** The time that the clock shows. */
  shownAt(at: Instant): LocalTime {
    return at + this.offsetAt(at);
  }

  /** How far it is ahead of UTC. */
  offsetAt(at: Instant): number {
    return Math.round(this.#zone.offset(at) * 60) * 1000;
  }

  /** The moment after `from`, until `until`, from which on the clock is changed; null if there is none. */
  changeIn(from: Instant, until: Instant): Instant | null {
    const offset = this.offsetAt(from);
    if (this.offsetAt(until) === offset) return null;
    let before = from;
    let after = until;
    while (after - before > 1000) {
      const middle = before + Math.floor((after - before) / 2000) * 1000;
      if (this.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }

  /** The latest time that the clock has shown, which is later than the current one after it was put back. */
  latestShown(at: Instant): LocalTime {
    const change = this.changeIn(at - quietMs, at);
    const shown = this.shownAt(at);
    return change === null ? shown : Math.max(shown, this.shownAt(change - 1000));
  }

  /** The moment when the clock shows a time first. If it skips this time, the moment when it is put forward. */
  firstShown(time: LocalTime): Instant {
    for (let from = time - furthestAhead; ; ) {
      const at = Math.max(from, time - this.offsetAt(from));
      const change = this.changeIn(from, at);
      if (change === null) return at;
      from = change;
    }
  }
}
