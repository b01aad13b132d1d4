import type { Instant, JsonObject, OverlapPolicy, Schedule, ScheduleState } from '@millrace/core';
import type { NewExecution } from './executions.ts';
import type { Page } from './page.ts';

/**
 * The state of trigger_schedule nodes that is not in their configs. Schedules follow the version that triggers run:
 * those of a live workflow change in the transaction that changes their nodes, those of a published one when it is
 * published or unpublished. A schedule is idle while its workflow is inactive or deleted.
 */
export interface ScheduleStore {
  /** The schedules of a workflow. */
  ofWorkflow(workflowId: number): Promise<readonly Schedule[]>;
  /** The schedules that a user may see, the next to fire first, and those that will not fire last. */
  list(params: { visibleTo: number; limit: number; offset: number }): Promise<Page<ListedSchedule>>;
  /** When the next schedule fires; null if none will. */
  earliest(): Promise<Instant | null>;
  /** Up to `limit` due schedules, the longest due first. */
  due(params: { now: Instant; limit: number }): Promise<readonly DueSchedule[]>;
  /**
   * Starts runs for times of a schedule and sets its next time, in one transaction. 'lost' if its time is no longer
   * `dueAt`, because another caller fired it or its node changed; nothing is stored then. A time that already has a run
   * gets no second one.
   */
  fire(params: Firing): Promise<'fired' | 'lost'>;
  /**
   * Updates the workflow's `updatedAt`, and publishes `node_updated` if the newest version has the node. Does nothing
   * if the state is the same. Null if there is no such schedule.
   */
  setState(params: { id: number; state: ScheduleState; at: Instant }): Promise<Schedule | null>;
  /**
   * Recomputes the future times of up to `limit` schedules after this id: for when the clock was set back, or time zone
   * rules may have changed. Returns the id to continue from; null at the end.
   */
  replan(params: { now: Instant; afterId: number; limit: number }): Promise<number | null>;
}

/** A schedule with its place, as a list shows it. */
export interface ListedSchedule extends Schedule {
  readonly workflowSlug: string;
  readonly workflowName: string;
  /** The node's name in the newest version; null if only the published version has it. */
  readonly nodeId: string | null;
  readonly label: string | null;
  /** What its times follow from; null while its node is inactive. */
  readonly timing: JsonObject | null;
  readonly anchor: Instant;
}

/** A due schedule. */
export interface DueSchedule extends Schedule {
  readonly workflowId: number;
  readonly dueAt: Instant;
  readonly anchor: Instant;
}

/** Runs to start for times of a schedule. */
export interface Firing {
  readonly id: number;
  readonly dueAt: Instant;
  /** The latest of its due times. */
  readonly lastDueAt: Instant;
  readonly now: Instant;
  /** In the order of their times. */
  readonly runs: readonly ScheduledRun[];
  /** What happens to a fire while a run of this schedule is open. */
  readonly overlap: OverlapPolicy;
  /** The number of due fires that cannot start a run. */
  readonly rejected: number;
  /** Why the last due fire cannot start a run; null if it can. */
  readonly error: string | null;
}

/** A run and the time that it is for. */
export interface ScheduledRun {
  readonly fireAt: Instant;
  readonly run: Omit<NewExecution, 'idempotency'>;
}
