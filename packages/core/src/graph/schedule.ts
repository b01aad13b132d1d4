import { z } from 'zod';
import { type Json, type JsonObject, own } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Node } from './graph.ts';

/** The type of the node that starts runs by the clock. */
export const scheduleType = 'trigger_schedule';

/** Whether a schedule fires: `paused` keeps an interval's rhythm, `stopped` lets it begin anew. */
export const scheduleStates = ['active', 'paused', 'stopped'] as const;
export type ScheduleState = (typeof scheduleStates)[number];

/** What becomes of the fires of a time in which the service did not run. */
export const missedPolicies = ['skip', 'latest', 'all'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

/** What becomes of a fire while a run of the same schedule is open. */
export const overlapPolicies = ['skip', 'queue', 'parallel'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** What a schedule's times follow from beside its config. */
export interface SchedulePast {
  /** Intervals count from here. */
  readonly anchor: Instant;
  /** The last time that came: a pattern does not fire again for what lies before it, even if the clock was set back. */
  readonly lastFire: Instant | null;
}

/** When a schedule fires: depends on its config alone. */
export interface Timetable {
  /** Whether there is any time at all at which it fires. */
  fires(): boolean;
  /** The first fire after a moment; null when none will come. */
  next(after: Instant, past: SchedulePast): Instant | null;
  /** The last fires from `from` to `until`, both included: at most `limit`, in their order. */
  last(range: {
    readonly from: Instant;
    readonly until: Instant;
    readonly anchor: Instant;
    readonly limit: number;
  }): readonly Instant[];
}

/** Reads the timetable out of what `timingOf` gives; null when it says no time. */
export type ReadTimetable = (timing: JsonObject) => Timetable | null;

/** A schedule as it stands: what belongs to a trigger_schedule node beside its config. */
export interface Schedule {
  /** The node's id. */
  readonly id: number;
  readonly state: ScheduleState;
  /** Null while nothing is to come: paused, stopped, an inactive workflow or node, or a config without a time. */
  readonly nextFireAt: Instant | null;
  /** The last time that came, whether or not it started a run. */
  readonly lastFireAt: Instant | null;
  readonly lastExecutionId: string | null;
  /** Fires that started nothing, by the policies or because the workflow could not run. */
  readonly skipped: number;
  /** Why the last fire could start nothing; null when it could. */
  readonly error: string | null;
  /** When somebody last started, paused or stopped it: that changes its node, and no version of the graph. */
  readonly steeredAt: Instant | null;
}

/** A schedule as who may not see runs sees it: what is to come, and nothing of what came. */
export function withoutPast(schedule: Schedule): Schedule {
  return { ...schedule, lastFireAt: null, lastExecutionId: null, skipped: 0, error: null };
}

/** What a schedule's config says beside its times. */
export interface SchedulePolicies {
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  readonly payload: Json;
}

// The component's own schema refused anything else when the node was stored.
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

/** The part of a node that its times follow from: while this stays the same, so do they. Null for one that is inactive. */
export function timingOf(node: Pick<Node, 'config'>): JsonObject | null {
  if (own(node.config, 'is_active') === false) return null;
  const config = (own(node.config, 'extra_config') ?? {}) as JsonObject;
  const keys = ['cron', 'interval_seconds', 'timezone'].filter((key) => Object.hasOwn(config, key));
  return Object.fromEntries(keys.map((key) => [key, config[key] ?? null]));
}

/** A fire that comes no later than this after its time is not missed: a restart takes as long. */
const punctualMs = 60_000;

/** Runs that `all` makes up for at most: the latest. A minutely schedule would else start half a million after a year. */
export const maxMadeUp = 100;

/** Those of the due fires, given in their order, that are to start runs at the moment `now`. */
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
