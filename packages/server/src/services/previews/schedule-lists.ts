import { type Instant, type ReadTimetable, type SlicedWork, type User, upcomingTimes } from '@millrace/core';
import type { Turns } from '../../ground/turns.ts';
import type { Page } from '../../store/page.ts';
import type { ListedSchedule } from '../../store/schedules.ts';
import type { Store } from '../../store/store.ts';
import { shownTimes } from './schedule-previews.ts';

/** The schedules of a user's workflows, and of those that are shared with them. */
export interface ScheduleLists {
  /** The next to fire first. */
  list(user: User, page: { readonly limit: number; readonly offset: number }): Promise<Page<UpcomingSchedule>>;
}

/** A schedule with its next times; none while it does not fire. */
export interface UpcomingSchedule extends ListedSchedule {
  readonly times: readonly Instant[];
}

interface ListPorts {
  readonly store: Pick<Store, 'schedules'>;
  readonly readTimetable: ReadTimetable;
  readonly turns: Pick<Turns, 'finish'>;
}

export function createScheduleLists({ store, readTimetable, turns }: ListPorts): ScheduleLists {
  const timesOf = ({ nextFireAt, timing, anchor }: ListedSchedule): readonly Instant[] => {
    const timetable = nextFireAt === null || timing === null ? null : readTimetable(timing);
    if (nextFireAt === null || timetable === null) return [];
    return [nextFireAt, ...upcomingTimes(timetable, { after: nextFireAt, anchor, count: shownTimes - 1 })];
  };
  /** The times of a rare pattern take up to a few milliseconds. */
  function* withTimes(items: readonly ListedSchedule[]): SlicedWork<UpcomingSchedule[]> {
    const found: UpcomingSchedule[] = [];
    for (const item of items) {
      found.push({ ...item, times: timesOf(item) });
      yield;
    }
    return found;
  }
  return {
    async list(user, page) {
      const { items, total } = await store.schedules.list({ visibleTo: user.id, ...page });
      return { items: await turns.finish(withTimes(items)), total };
    },
  };
}
