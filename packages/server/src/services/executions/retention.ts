import type { Instant } from '@millrace/core';
import type { Logger } from 'pino';
import type { CancelTimer, Clock, Timers } from '../../ground/clock.ts';
import type { RunPlace } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';

/** How long runs are kept. */
export interface RetentionLimits {
  /** Days after its end; null for ever. */
  readonly days: number | null;
  /** Ended runs of one workflow; null for any number. */
  readonly runsPerWorkflow: number | null;
}

/** What retention stands on. */
export interface RetentionPorts {
  readonly store: Pick<Store, 'retention'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: RetentionLimits;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

const dayMs = 86_400_000;
/** As long as an idempotency key stands for its run. */
const keyMs = dayMs;
/** Between two rounds: a busy workflow makes some 100,000 runs in that time, and there is room for them. */
const roundMs = 60_000;
/** Runs looked at in one transaction: some 5 ms, in which every request waits. */
const batch = 100;
/** Graphs of versions forgotten in one transaction: for each, all runs of the workflow are looked through, 3 ms or so. */
const versionsAtOnce = 2;
/** Milliseconds between two transactions, for what else is to be done. */
const breathMs = 10;
/** Until all of a workflow's runs are looked at again, of which many had to stay. */
const lookAgainMs = 3_600_000;
/** Pages of the file given back in one transaction: 1 MiB, which takes some 2 ms. */
const pagesAtOnce = 256;

/** How far a workflow's runs were looked at when more were too many than might go, and until when that counts. */
interface Seen {
  readonly place: RunPlace;
  readonly until: Instant;
}

/** Removes runs that are too old or too many, a few at a time, and lets the database file shrink. */
export class Retention {
  readonly #ports: RetentionPorts;
  #cancelTimer: CancelTimer = () => undefined;
  #round: Promise<void> | null = null;
  #stopped = true;
  readonly #seen = new Map<number, Seen>();

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#stopped = false;
    this.#later();
  }

  /** Resolves when nothing is removed any more. */
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
      while (!this.#stopped && (await store.retention.compact({ pages: pagesAtOnce }))) await this.#breathe();
    } catch (error) {
      log.warn({ err: error }, 'old executions could not be removed; the next round tries again');
    }
  }

  async #prune(workflowId: number, ended: number): Promise<number> {
    const { store, clock, limits } = this.#ports;
    const now = clock.now();
    const endedBefore = limits.days === null ? null : now - limits.days * dayMs;
    const excess = limits.runsPerWorkflow === null ? 0 : Math.max(0, ended - limits.runsPerWorkflow);
    const seen = this.#seenOf(workflowId, now);
    // Whatever was accepted before may be too old by now, or its key may stand for nothing any more.
    const settledSince = Math.max(now - keyMs, endedBefore ?? 0);
    let removed = 0;
    let after: RunPlace | null = null;
    let reached: RunPlace | null = null;
    do {
      const pruned = await store.retention.prune({
        workflowId,
        endedBefore,
        excess: Math.max(0, excess - removed),
        keysSince: now - keyMs,
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

  /** Workflows without ended runs: most are gone for good. */
  #forgetIdleWorkflows(present: ReadonlySet<number>): void {
    for (const workflowId of this.#seen.keys()) if (!present.has(workflowId)) this.#seen.delete(workflowId);
  }

  #seenOf(workflowId: number, now: Instant): Seen | null {
    const seen = this.#seen.get(workflowId);
    return seen === undefined || seen.until <= now ? null : seen;
  }

  /** The graphs that only removed runs had. */
  async #pruneVersions(workflowId: number): Promise<void> {
    const { retention } = this.#ports.store;
    while (!this.#stopped && (await retention.pruneVersions({ workflowId, limit: versionsAtOnce })))
      await this.#breathe();
  }

  #breathe(): Promise<void> {
    return new Promise((resolve) => void this.#ports.timers.after(breathMs, resolve));
  }
}

/** Whether any run may ever be too old, or one too many. */
function isLimited({ days, runsPerWorkflow }: RetentionLimits): boolean {
  return days !== null || runsPerWorkflow !== null;
}

function isAhead(place: RunPlace | undefined, of: RunPlace): boolean {
  if (place === undefined) return false;
  return place.acceptedAt > of.acceptedAt || (place.acceptedAt === of.acceptedAt && place.id > of.id);
}
