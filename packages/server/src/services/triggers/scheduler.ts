import {
  type ErrorCode,
  firesToRun,
  formatInstant,
  type Instant,
  type JsonObject,
  maxMadeUp,
  type Node,
  Problem,
  type ReadTimetable,
  type SchedulePolicies,
  schedulePolicies,
  timingOf,
  type Workflow,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { CancelTimer, Clock, Timers } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { DueSchedule, ScheduledRun } from '../../store/schedules.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { RejectedStarts } from '../acceptance/rejected-starts.ts';
import type { Triggers } from '../acceptance/triggers.ts';
import type { InputSchemas } from '../validation/input-schema.ts';
import type { Graphs } from '../workflows/graphs.ts';
import { sentenceOf } from './problem-message.ts';

/** The dependencies of the scheduler. */
export interface SchedulerPorts {
  readonly store: Pick<Store, 'schedules' | 'workflows' | 'executions' | 'subscribe'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly rejectedStarts: Pick<RejectedStarts, 'report'>;
  readonly readTimetable: ReadTimetable;
  readonly log: Pick<Logger, 'warn'>;
  /** How many runs may be open at once. */
  readonly maxOpenRuns: number;
}

/** Schedules fired at once, so that their runs share one or two commits. */
const fireBatch = 100;
/** Schedules whose times are computed in one transaction, which takes some 20 ms and blocks every request. */
const planBatch = 100;
/** Milliseconds between looks at the clock while a schedule is armed: no event reports that the clock was set. */
const longestSleepMs = 10_000;
/** Milliseconds before a retry, if the store could not write or too many runs are open. */
const retryMs = 1000;
/** A clock that goes back by less is being adjusted in small steps, as is normal. */
const setBackMs = 2000;

/**
 * Starts the runs of schedules. One timer waits for the earliest of all. The store selects the due schedules, and moves
 * a schedule's time on in the transaction that stores its run, so the scheduler has no state that a crash could lose.
 */
export class Scheduler {
  readonly #ports: SchedulerPorts;
  #cancelTimer: CancelTimer = () => undefined;
  #unsubscribe: () => void = () => undefined;
  /** The round in progress. */
  #round: Promise<void> | null = null;
  #mustLookAgain = false;
  #stopped = true;
  /** The difference between the wall clock and the monotonic clock. */
  #offset: number;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#offset = offsetOf(ports.clock);
  }

  start(): void {
    this.#stopped = false;
    this.#unsubscribe = this.#ports.store.subscribe({ schedulesChanged: () => this.#look() });
    // Time zone rules are part of Node: another version may have other rules.
    this.#look(true);
  }

  /** Resolves when the round in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#cancelTimer();
    await this.#round;
  }

  #look(mustReplan = false): void {
    if (this.#stopped) return;
    if (this.#round !== null) {
      this.#mustLookAgain = true;
      return;
    }
    this.#cancelTimer();
    this.#mustLookAgain = false;
    this.#round = this.#run(mustReplan).then((sleepMs) => {
      this.#round = null;
      if (this.#stopped) return;
      if (this.#mustLookAgain) this.#look();
      else if (sleepMs !== null) this.#cancelTimer = this.#ports.timers.after(sleepMs, () => this.#look());
    });
  }

  /** One round; returns the milliseconds until the next, or null if no schedule is armed. */
  async #run(mustReplan: boolean): Promise<number | null> {
    const { store, clock, log } = this.#ports;
    try {
      if (this.#wasSetBack() || mustReplan) await this.#replan();
      if (!(await this.#fireDue())) return retryMs;
      const earliest = await store.schedules.earliest();
      if (earliest === null) return null;
      // At least a millisecond, as a timer may fire a little early.
      return Math.min(longestSleepMs, Math.max(1, Math.ceil(earliest - clock.now())));
    } catch (error) {
      log.warn({ err: error }, 'schedules could not be fired; trying again');
      return retryMs;
    }
  }

  #wasSetBack(): boolean {
    const before = this.#offset;
    this.#offset = offsetOf(this.#ports.clock);
    return this.#offset < before - setBackMs;
  }

  async #replan(): Promise<void> {
    const { store, clock } = this.#ports;
    let afterId: number | null = 0;
    while (afterId !== null) {
      afterId = await store.schedules.replan({ now: clock.now(), afterId, limit: planBatch });
    }
  }

  /** False if a due schedule could not be fired now. */
  async #fireDue(): Promise<boolean> {
    const { store, clock, maxOpenRuns } = this.#ports;
    while (!this.#stopped) {
      const due = await store.schedules.due({ now: clock.now(), limit: fireBatch });
      if (due.length === 0) return true;
      // The scheduler waits: there is no request to reject.
      if ((await store.executions.openCount()) >= maxOpenRuns) return false;
      const fired = await Promise.all(due.map((schedule) => this.#tryToFire(schedule)));
      // The cause would prevent another attempt at once, too.
      if (!fired.includes(true)) return false;
    }
    return true;
  }

  /** A schedule that cannot be fired does not block the others. */
  async #tryToFire(schedule: DueSchedule): Promise<boolean> {
    try {
      return await this.#fire(schedule);
    } catch (error) {
      this.#ports.log.warn({ err: error, nodeId: schedule.id }, 'a schedule could not be fired; trying again');
      return false;
    }
  }

  /** False if it is no longer due. */
  async #fire(schedule: DueSchedule): Promise<boolean> {
    const { store, clock, graphs } = this.#ports;
    const workflow = await store.workflows.byId(schedule.workflowId);
    const graph = workflow === null ? null : await graphs.effective(workflow);
    const node = graph?.nodes.find(({ id }) => id === schedule.id);
    // The node was removed, or another version was published meanwhile: that transaction changed the schedule.
    if (workflow === null || graph === null || node === undefined) return false;
    const now = clock.now();
    const policies = schedulePolicies((node.config.extra_config ?? {}) as JsonObject);
    const { fires, lastDueAt } = this.#fires(schedule, node, policies, now);
    const rejection = this.#rejection(workflow, policies);
    const attempts = fires.map((fireAt) => rejection ?? tryRun({ workflow, graph, node, policies, fireAt, now }));
    const runs = attempts.filter((run) => 'run' in run);
    const last = attempts.at(-1);
    const outcome = await store.schedules.fire({
      id: schedule.id,
      dueAt: schedule.dueAt,
      lastDueAt,
      now,
      runs,
      overlap: policies.overlap,
      rejected: attempts.length - runs.length,
      error: last !== undefined && 'sentence' in last ? last.sentence : null,
    });
    if (outcome !== 'fired') return false;
    const start = { workflow: workflow.slug, trigger: 'schedule', nodeId: node.nodeId } as const;
    for (const attempt of attempts) if ('code' in attempt) this.#ports.rejectedStarts.report(start, attempt.code);
    return true;
  }

  #fires(schedule: DueSchedule, node: Node, { missed }: SchedulePolicies, now: Instant) {
    const timing = timingOf(node);
    const timetable = timing === null ? null : this.#ports.readTimetable(timing);
    const limit = missed === 'all' ? maxMadeUp : 1;
    const due = timetable?.last({ from: schedule.dueAt, until: now, anchor: schedule.anchor, limit }) ?? [];
    return { fires: firesToRun(due, missed, now), lastDueAt: due.at(-1) ?? schedule.dueAt };
  }

  /** Why the workflow cannot run now, at any time of the schedule; null if it can. */
  #rejection(workflow: Workflow, { payload }: SchedulePolicies): Rejection | null {
    const { inputSchemas } = this.#ports;
    return orRejection(() => {
      inputSchemas.check(workflow, payload, ['trigger_payload']);
      return null;
    });
  }
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}

interface Fire {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly node: Node;
  readonly policies: SchedulePolicies;
  readonly fireAt: Instant;
  readonly now: Instant;
}

/** Why a run was not created. */
interface Rejection {
  readonly code: ErrorCode;
  readonly sentence: string;
}

/** The result of `make`, or the Problem that it threw. */
function orRejection<T>(make: () => T): T | Rejection {
  try {
    return make();
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, sentence: sentenceOf(error) };
    throw error;
  }
}

/** The run for a time, or why there is none: its concurrency key may depend on the time. */
function tryRun(fire: Fire): ScheduledRun | Rejection {
  return orRejection(() => runOf(fire));
}

function runOf({ workflow, graph, node, policies, fireAt, now }: Fire): ScheduledRun {
  const trigger = { payload: policies.payload, text: formatInstant(fireAt) };
  const run = {
    id: newExecutionId(now),
    workflowId: workflow.id,
    graph,
    triggerNodeId: node.nodeId,
    trigger,
    concurrencyKey: concurrencyKeyOf(workflow, trigger),
    at: now,
  };
  return { fireAt, run };
}
