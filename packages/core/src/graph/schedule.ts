import { z } from 'zod';
import { type Json, type JsonObject, own } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Node } from './graph.ts';

/** The type of the node that starts runs on a schedule. */
export const scheduleType = 'trigger_schedule';

/** Whether a schedule fires: `paused` preserves an interval's rhythm, `stopped` restarts it. */
export const scheduleStates = ['active', 'paused', 'stopped'] as const;
export type ScheduleState = (typeof scheduleStates)[number];

/** How fires are handled that were due while the service was down. */
export const missedPolicies = ['skip', 'latest', 'all'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

/** How a fire is handled while a run of the same schedule is open. */
export const overlapPolicies = ['skip', 'queue', 'parallel'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** The inputs, besides its config, that determine a schedule's times. */
export interface SchedulePast {
  /** The start of the intervals. */
  readonly anchor: Instant;
  /** The last due time: a pattern does not fire again for earlier times, even if the clock was set back. */
  readonly lastFire: Instant | null;
}

/** The times of a schedule, which depend only on its config. */
export interface Timetable {
  /** Whether it ever fires. */
  fires(): boolean;
  /** The first fire after a point in time; null if there is none. */
  next(after: Instant, past: SchedulePast): Instant | null;
  /** The last fires from `from` to `until`, both included: at most `limit`, in order. */
  last(range: {
    readonly from: Instant;
    readonly until: Instant;
    readonly anchor: Instant;
    readonly limit: number;
  }): readonly Instant[];
}

/** The next times of a schedule after a moment, in order: at most `count`. */
export function upcomingTimes(
  timetable: Timetable,
  { after, anchor, count }: { readonly after: Instant; readonly anchor: Instant; readonly count: number },
): readonly Instant[] {
  const times: Instant[] = [];
  if (!timetable.fires()) return times;
  while (times.length < count) {
    const last = times.at(-1) ?? null;
    const next = timetable.next(last ?? after, { anchor, lastFire: last });
    if (next === null) break;
    times.push(next);
  }
  return times;
}

/** Reads the timetable from the result of `timingOf`; null if it contains no time. */
export type ReadTimetable = (timing: JsonObject) => Timetable | null;

/** The state of a schedule: the data of a trigger_schedule node besides its config. */
export interface Schedule {
  /** The node's id. */
  readonly id: number;
  readonly state: ScheduleState;
  /** Null if no fire is due in future: paused, stopped, an inactive workflow or node, or a config without a time. */
  readonly nextFireAt: Instant | null;
  /** The last due time, whether or not it started a run. */
  readonly lastFireAt: Instant | null;
  readonly lastExecutionId: string | null;
  /** Fires that started nothing, because of the policies or because the workflow could not run. */
  readonly skipped: number;
  /** The reason why the last fire could not start a run; null if it could. */
  readonly error: string | null;
  /** When a user last started, paused or stopped it: this changes its node, but creates no version of the graph. */
  readonly steeredAt: Instant | null;
}

/** A schedule for users who may not see runs: future fires only. */
export function withoutPast(schedule: Schedule): Schedule {
  return { ...schedule, lastFireAt: null, lastExecutionId: null, skipped: 0, error: null };
}

/** The settings in a schedule's config besides its times. */
export interface SchedulePolicies {
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  readonly payload: Json;
}

// The component's own schema rejected all other values when the node was stored.
const policies = z.object({
  missed: z.enum(missedPolicies).catch('skip'),
  overlap: z.enum(overlapPolicies).catch('skip'),
  trigger_payload: z.json().default({}),
});

/** The policies of a schedule's `extra_config`, with their defaults. */
export function schedulePolicies(config: JsonObject): SchedulePolicies {
  const { missed, overlap, trigger_payload: payload } = policies.parse(config);
  return { missed, overlap, payload };
}

/** The part of a node that determines its times: they change only if this part changes. Null for an inactive node. */
export function timingOf(node: Pick<Node, 'config'>): JsonObject | null {
  if (own(node.config, 'is_active') === false) return null;
  const config = (own(node.config, 'extra_config') ?? {}) as JsonObject;
  const keys = ['cron', 'interval_seconds', 'timezone'].filter((key) => Object.hasOwn(config, key));
  return Object.fromEntries(keys.map((key) => [key, config[key] ?? null]));
}

/** A fire is missed only if it is later than this: a restart takes as long. */
const punctualMs = 60_000;

/**
 * The most runs with which `all` makes up for missed fires: the latest ones. Otherwise a minutely schedule would start
 * half a million runs after a year.
 */
export const maxMadeUp = 100;

/** The due fires, given in order, that start runs at the time `now`. */
export function firesToRun(due: readonly Instant[], missed: MissedPolicy, now: Instant): readonly Instant[] {
  switch (missed) {
    case 'all':
      return due.slice(-maxMadeUp);
    case 'latest':
      return due.slice(-1);
    case 'skip':
      return due.slice(-1).filter((at) => now - at <= punctualMs);
  }
}
