import {
  type Catalogue,
  checkConfig,
  type Instant,
  type JsonObject,
  Problem,
  type ReadTimetable,
  scheduleType,
  upcomingTimes,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';

/** Computes when a schedule would fire, without storing it. */
export interface SchedulePreviews {
  /** The next times. @throws Problem `invalid` if the settings are invalid or set no time */
  next(timing: JsonObject): readonly Instant[];
}

interface PreviewPorts {
  readonly catalogue: Catalogue;
  readonly readTimetable: ReadTimetable;
  readonly clock: Pick<Clock, 'now'>;
}

/** Enough to see whether a pattern means what its author meant. */
export const shownTimes = 5;

export function createSchedulePreviews({ catalogue, readTimetable, clock }: PreviewPorts): SchedulePreviews {
  return {
    next(timing) {
      const component = catalogue.get(scheduleType);
      const issues = component === undefined ? [] : checkConfig({ extra_config: timing }, component);
      if (issues.length > 0) {
        const fields = issues.map(({ type, path, message }) => ({
          type,
          loc: ['body', ...path.slice(1)],
          msg: message,
        }));
        throw new Problem('invalid', fields);
      }
      const timetable = readTimetable(timing);
      if (timetable === null) throw new Problem('invalid', 'Set either cron or interval_seconds.');
      const now = clock.now();
      return upcomingTimes(timetable, { after: now, anchor: now, count: shownTimes });
    },
  };
}
