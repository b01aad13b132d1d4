import type { Instant, OverlapPolicy, Schedule, ScheduleState } from '@millrace/core';
import type { NewExecution } from './executions.ts';

/**
 * What belongs to trigger_schedule nodes beside their configs. Schedules follow the version that triggers run: those of
 * a live workflow change in the transaction that changes their nodes, those of a published one when it is published or
 * unpublished. A schedule is idle while its workflow is inactive or removed.
 */
export interface ScheduleStore {
  /** Those of a workflow. */
  ofWorkflow(workflowId: number): Promise<readonly Schedule[]>;
  /** When the next of all fires; null when none will. */
  earliest(): Promise<Instant | null>;
  /** Up to `limit` whose time has come, the longest due first. */
  due(params: { now: Instant; limit: number }): Promise<readonly DueSchedule[]>;
  /**
   * Starts runs for times of a schedule, and sets its next time, in one transaction. 'lost' when its time is not `dueAt`
   * any more, because somebody else fired it or its node has changed: nothing is stored then. A time that has its run
   * already gets no other.
   */
  fire(params: Firing): Promise<'fired' | 'lost'>;
  /**
   * Moves the workflow's `updatedAt`, and publishes `node_updated` if the newest version has the node. Does nothing if the
   * state is the same. Null when there is no such schedule.
   */
  setState(params: { id: number; state: ScheduleState; at: Instant }): Promise<Schedule | null>;
  /**
   * Works out anew the times that lie ahead, of up to `limit` schedules after this id: when the clock was set back, or the
   * rules of time zones may have changed. Gives the id to go on from; null at the end.
   */
  replan(params: { now: Instant; afterId: number; limit: number }): Promise<number | null>;
}

/** A schedule whose time has come. */
export interface DueSchedule extends Schedule {
  readonly workflowId: number;
  readonly dueAt: Instant;
  readonly anchor: Instant;
}

/** Runs to start for times of a schedule. */
export interface Firing {
  readonly id: number;
  readonly dueAt: Instant;
  /** The latest of its times that have come. */
  readonly lastDueAt: Instant;
  readonly now: Instant;
  /** In the order of their times. */
  readonly runs: readonly ScheduledRun[];
  /** What becomes of a fire while a run of this schedule is open. */
  readonly overlap: OverlapPolicy;
  /** How many of the due fires cannot start a run. */
  readonly refused: number;
  /** Why the last of the due fires cannot start a run; null when it can. */
  readonly error: string | null;
}

/** A run and the time that it is for. */
export interface ScheduledRun {
  readonly fireAt: Instant;
  readonly run: Omit<NewExecution, 'idempotency'>;
}
