import type { Logger } from 'pino';
import type { CancelTimer, Clock, Timers } from '../../ground/clock.ts';
import { ClockPast } from '../../ground/clock-past.ts';
import type { RunPlace } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';

/** How long runs are stored. */
export interface RetentionLimits {
  /** Days after a run's end; null for no limit. */
  readonly days: number | null;
  /** Ended runs of one workflow; null for no limit. */
  readonly runsPerWorkflow: number | null;
  /** Minutes after its end for which a run is stored, even if its workflow has too many. */
  readonly minutes: number;
}

/** The dependencies of retention. */
export interface RetentionPorts {
  readonly store: Pick<Store, 'retention' | 'trash' | 'users'> & {
    readonly executions: Pick<Store['executions'], 'finishCancellations'>;
  };
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: RetentionLimits;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** As long as an idempotency key is valid. */
const keyMs = dayMs;
/**
 * The time between two rounds: a busy workflow starts some 100,000 runs in that time, and the disk has room for them.
 */
const roundMs = 60_000;
/** Runs examined in one transaction, which takes some 5 ms and blocks every request. */
const batch = 100;
/**
 * Graphs of versions deleted in one transaction: each takes some 3 ms, as all runs of the workflow are searched for it.
 */
const versionsAtOnce = 2;
/** Milliseconds between two transactions, for other work. */
const breathMs = 10;
/** How long the runs of a workflow that must stay are not examined again. */
const lookAgainMs = 3_600_000;
/** Pages of the file released in one transaction: 1 MiB, which takes some 2 ms. */
const pagesAtOnce = 256;

/**
 * The position up to which a workflow's runs were examined, if fewer could be removed than were in excess; and its
 * expiry.
 */
interface Seen {
  readonly place: RunPlace;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * Removes runs that are too old or too many, in small batches, and shrinks the database file. Also completes deletions
 * and cancellations that were interrupted.
 */
export class Retention {
  readonly #ports: RetentionPorts;
  readonly #past: ClockPast;
  #cancelTimer: CancelTimer = () => undefined;
  #round: Promise<void> | null = null;
  #stopped = true;
  readonly #seen = new Map<number, Seen>();

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
    this.#past = new ClockPast(ports.clock);
  }

  start(): void {
    this.#stopped = false;
    this.#later();
  }

  /** Resolves when the round in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#round;
  }

  #later(): void {
    this.#cancelTimer = this.#ports.timers.after(roundMs, () => {
      this.#round = this.#run().then(() => {
        if (!this.#stopped) this.#later();
      });
    });
  }

  async #run(): Promise<void> {
    const { store, limits, log } = this.#ports;
    try {
      await this.#finishRemovals();
      let removed = 0;
      const workflows = isLimited(limits) ? await store.retention.endedRuns() : [];
      this.#forgetIdleWorkflows(new Set(workflows.map(({ workflowId }) => workflowId)));
      for (const { workflowId, ended } of workflows) {
        const prunedCount = await this.#prune(workflowId, ended);
        if (prunedCount > 0) await this.#pruneVersions(workflowId);
        removed += prunedCount;
        if (this.#stopped) return;
      }
      if (removed > 0) log.info({ removed }, 'old executions were removed');
      await this.#pruneVariables();
      while (!this.#stopped && (await store.retention.compact({ pages: pagesAtOnce }))) await this.#breathe();
    } catch (error) {
      log.warn({ err: error }, 'old executions could not be removed; the next round tries again');
    }
  }

  /** In every round, because a full disk interrupts a deletion or a cancellation as the end of a process does. */
  async #finishRemovals(): Promise<void> {
    const { store, clock } = this.#ports;
    await store.users.finishRemovals();
    await store.trash.finishRemovals({ at: clock.now() });
    await store.executions.finishCancellations({ at: clock.now() });
  }

  async #prune(workflowId: number, ended: number): Promise<number> {
    const { store, clock, limits } = this.#ports;
    const now = clock.monotonic();
    const endedBefore = limits.days === null ? null : this.#past.ago(limits.days * dayMs);
    const keysSince = this.#past.ago(keyMs);
    const excess = limits.runsPerWorkflow === null ? 0 : Math.max(0, ended - limits.runsPerWorkflow);
    const seen = this.#seenOf(workflowId, now);
    // Runs accepted before this may have become too old, or their idempotency keys may have expired.
    const settledSince = Math.max(keysSince, endedBefore ?? 0);
    let removed = 0;
    let after: RunPlace | null = null;
    let reached: RunPlace | null = null;
    do {
      const pruned = await store.retention.prune({
        workflowId,
        endedBefore,
        excess: Math.max(0, excess - removed),
        recentSince: this.#past.ago(limits.minutes * minuteMs),
        keysSince,
        limit: batch,
        after,
      });
      removed += pruned.removed;
      after = pruned.next;
      if (after !== null && after.acceptedAt >= settledSince && isAhead(seen?.place, after))
        after = seen?.place ?? after;
      reached = after ?? reached;
      if (after !== null) await this.#breathe();
    } while (after !== null && !this.#stopped);
    if (removed < excess && reached !== null)
      this.#seen.set(workflowId, { place: reached, until: seen?.until ?? now + lookAgainMs });
    else this.#seen.delete(workflowId);
    return removed;
  }

  /** Drops workflows without ended runs, most of which were deleted. */
  #forgetIdleWorkflows(present: ReadonlySet<number>): void {
    for (const workflowId of this.#seen.keys()) if (!present.has(workflowId)) this.#seen.delete(workflowId);
  }

  #seenOf(workflowId: number, now: number): Seen | null {
    const seen = this.#seen.get(workflowId);
    return seen === undefined || seen.until <= now ? null : seen;
  }

  /** Deletes the graphs that only removed runs used. */
  async #pruneVersions(workflowId: number): Promise<void> {
    const { retention } = this.#ports.store;
    while (!this.#stopped && (await retention.pruneVersions({ workflowId, limit: versionsAtOnce })))
      await this.#breathe();
  }

  /** Deletes values of variables that only removed runs have read. */
  async #pruneVariables(): Promise<void> {
    let afterId: number | null = 0;
    while (afterId !== null && !this.#stopped) {
      afterId = await this.#ports.store.retention.pruneVariables({ afterId, limit: batch });
      if (afterId !== null) await this.#breathe();
    }
  }

  #breathe(): Promise<void> {
    return new Promise((resolve) => void this.#ports.timers.after(breathMs, resolve));
  }
}

/** True if there is any limit. */
function isLimited({ days, runsPerWorkflow }: RetentionLimits): boolean {
  return days !== null || runsPerWorkflow !== null;
}

function isAhead(place: RunPlace | undefined, of: RunPlace): boolean {
  if (place === undefined) return false;
  return place.acceptedAt > of.acceptedAt || (place.acceptedAt === of.acceptedAt && place.id > of.id);
}
