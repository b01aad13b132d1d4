import { isQuarantined, type Plan } from '@millrace/core';
import type { CancelTimer } from '../ground/clock.ts';
import type { ClaimedRun } from '../store/executions.ts';
import type { RunVariables } from '../store/variables.ts';
import { ClockWatch } from './clock-watch.ts';
import { isFlooded, maxRunsPerTurn, runsInFlood } from './pace.ts';
import { Plans } from './plans.ts';
import type { RunnerPorts } from './ports.ts';
import { ActiveRun, type Leaving, type OwnedRun } from './run/active-run.ts';
import { appendRun } from './run/append-run.ts';
import { endEvent } from './run/events.ts';
import { endAfter, type FatalError, isStoreFailure, QuarantinedRun } from './run/fatal-error.ts';
import { foldInSlices } from './run/resumption.ts';
import { RunCache } from './run-cache.ts';
import { Shares } from './shares.ts';
import { WakeUps } from './wake-ups.ts';

/** A lease outlives three missed heartbeats, so that a short stall does not lose the ownership of a run. */
const leaseMs = 10_000;
const heartbeatMs = 3000;
/** Runs claimed at once: enough to share a commit, few enough that other work is not delayed. */
const claimBatch = 64;
/** Milliseconds before a retry of a run whose version could not be read, or whose end could not be written. */
const retryMs = 1000;

/** Claims runs and performs them until stopped. */
export class Runner {
  readonly #ports: RunnerPorts;
  readonly #active = new Map<string, ActiveRun>();
  readonly #plans: Plans;
  readonly #cache = new RunCache();
  readonly #watch: ClockWatch;
  readonly #wakeUps: WakeUps;
  #queue: OwnedRun[] = [];
  /** Runs whose version or journal is being read, by id. */
  readonly #planning = new Map<string, OwnedRun>();
  /** The large journals that are read, one after the other. */
  #reading: Promise<void> = Promise.resolve();
  #heartbeat: CancelTimer | null = null;
  #unsubscribe: (() => void) | null = null;
  #claiming = false;
  /** True if a run has left since the claim in progress began: its place is not among those that are shared. */
  #hasLeft = false;
  #mayHavePending = true;
  /** When the store last reported a pending run. */
  #lastPendingAt = 0;
  #isWorkScheduled = false;
  /** Runs whose cancellation was requested between their claim and their start. */
  readonly #cancelledEarly = new Set<string>();
  #stopping = false;
  /** Timers of retries that are still to come. */
  readonly #retries = new Set<CancelTimer>();

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    this.#plans = new Plans(ports);
    this.#watch = new ClockWatch(ports.clock, (byMs) => this.#wakeUps.clockSet(byMs));
    this.#wakeUps = new WakeUps(ports, this.#watch);
  }

  start(): void {
    this.#unsubscribe = this.#ports.store.subscribe({
      pending: () => {
        this.#mayHavePending = true;
        this.#lastPendingAt = this.#ports.clock.monotonic();
        this.#claim();
      },
      cancelRequested: (ids) => {
        for (const id of ids) this.#cancel(id);
      },
      // Runs that have not started yet read their answers at the start. One read finds all answers of a run.
      answered: (ids) => {
        for (const id of new Set(ids)) this.#active.get(id)?.answered();
      },
    });
    this.#wakeUps.start();
    this.#beat();
    this.#claim();
  }

  #cancel(id: string): void {
    const run = this.#active.get(id);
    if (run !== undefined) run.cancel();
    // The commit that requested the cancellation may also have claimed it.
    else if (this.#claiming || this.#isTaken(id)) this.#cancelledEarly.add(id);
  }

  /** True if a run is claimed and not started. */
  #isTaken(id: string): boolean {
    return this.#planning.has(id) || this.#queue.some((run) => run.id === id);
  }

  /**
   * A claimed run already has its cancel request. Early requests for runs that this process did not claim are dropped,
   * so that they do not cancel a later retry.
   */
  #forgetUnownedCancellations(): void {
    for (const id of this.#cancelledEarly) if (!this.#isTaken(id)) this.#cancelledEarly.delete(id);
  }

  /** Runs claimed and not ended. */
  get activeCount(): number {
    return this.#active.size + this.#queue.length + this.#planning.size;
  }

  /**
   * Stops claiming, waits up to `graceMs` for running attempts and their facts, then releases the runs, so that they
   * continue where the journal ends.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#heartbeat?.();
    // The next process cannot detect a change of the clock before its start.
    this.#watch.check();
    this.#wakeUps.stop();
    this.#unsubscribe?.();
    for (const cancel of this.#retries) cancel();
    for (const run of this.#active.values()) {
      run.checkClock();
      run.stop();
    }
    const { clock, timers, store, owner } = this.#ports;
    const until = clock.monotonic() + graceMs;
    while (clock.monotonic() < until && [...this.#active.values()].some((run) => !run.isQuiet)) {
      // 10 ms: short enough not to delay the stop noticeably.
      await new Promise<void>((resolve) => timers.after(10, resolve));
    }
    for (const run of [...this.#active.values()]) run.drop();
    this.#queue = [];
    await store.executions.release({ owner });
  }

  #beat(): void {
    const { timers, store, clock, owner, log } = this.#ports;
    this.#heartbeat = timers.after(heartbeatMs, () => {
      if (this.#stopping) return;
      store.executions
        .renew({ owner, leaseUntil: clock.now() + leaseMs })
        .catch((error: unknown) =>
          log.warn({ err: error }, 'leases could not be renewed; the next heartbeat tries again'),
        );
      this.#watch.check();
      for (const run of this.#active.values()) run.checkClock();
      this.#cache.dropOld(clock.monotonic());
      // Also finds runs whose lease has expired, for which there is no event.
      this.#mayHavePending = true;
      this.#claim();
      this.#beat();
    });
  }

  /** Claims more if few are left in the queue, there is room, and the store may have some. */
  #claim(): void {
    const isDue = this.#mayHavePending && !this.#claiming && this.#queue.length < claimBatch;
    if (!isDue || this.#stopping) return;
    const places = new Shares(() => [this.#active.values(), this.#queue, this.#planning.values()]);
    const limit = Math.min(claimBatch, places.free);
    if (limit <= 0) return;
    this.#claiming = true;
    this.#mayHavePending = false;
    this.#hasLeft = false;
    const { store, clock, owner, log } = this.#ports;
    this.#watch.check();
    const followedMs = this.#watch.totalMs - this.#wakeUps.unstoredMs;
    const now = clock.now();
    const times = { now, monotonic: clock.monotonic(), leaseUntil: now + leaseMs };
    store.executions.claim({ owner, ...times, limit, cache: this.#cache, places }).then(
      (runs) => {
        // When places are scarce, owners may get more after any run has ended.
        if (runs.length === limit || places.areScarce) this.#mayHavePending = true;
        this.#claimed(runs.map((run) => ({ ...run, followedMs })));
        if (this.#hasLeft) this.#claimWhenFree();
      },
      (error: unknown) => {
        this.#claiming = false;
        this.#forgetUnownedCancellations();
        log.warn({ err: error }, 'runs could not be claimed; the next heartbeat tries again');
      },
    );
  }

  #claimed(runs: readonly OwnedRun[]): void {
    this.#claiming = false;
    for (const run of runs) {
      // The run continues now, so its cached state becomes outdated.
      this.#cache.drop(run.id);
      this.#queue.push(run);
    }
    this.#forgetUnownedCancellations();
    this.#scheduleWork();
  }

  /** Schedules the start of the queued runs: in the next turn of the event loop, or later under continuous load. */
  #scheduleWork(): void {
    if (this.#isWorkScheduled || this.#queue.length === 0) return;
    this.#isWorkScheduled = true;
    const { clock, timers, isAwaited } = this.#ports;
    const now = clock.monotonic();
    if (!isFlooded(now - this.#lastPendingAt) || this.#queue.some(({ id }) => isAwaited(id))) {
      timers.soon(() => this.#work(maxRunsPerTurn));
    } else {
      timers.unhurried((idleMs) => this.#work(runsInFlood(clock.monotonic() - now, idleMs)));
    }
  }

  /** Starts some of the queued runs. */
  #work(count: number): void {
    this.#isWorkScheduled = false;
    if (this.#stopping) return;
    const { turns } = this.#ports;
    turns.begin();
    for (let left = count; left > 0 && !turns.isOver; left -= 1) {
      const run = this.#queue.shift();
      if (run === undefined) break;
      this.#startRun(run);
    }
    this.#scheduleWork();
    this.#claim();
  }

  #startRun(run: OwnedRun): void {
    if (run.damage !== undefined) {
      this.#endFatally(run, fatalErrorAt(run, run.damage.error));
      return;
    }
    // Resuming it is what crashed or stalled the process.
    if (isQuarantined(run.incident) && run.incident.during === 'resume') {
      this.#endFatally(run, fatalErrorAt(run, new QuarantinedRun(run.incident)));
      return;
    }
    if (run.isJournalLarge === true) {
      this.#readJournal(run);
      return;
    }
    const plan = run.cached?.state.plan ?? this.#plans.known(run);
    if (plan !== undefined && (plan.variables === null || run.cached !== undefined)) this.#activate(run, plan);
    else void this.#prepare(run, plan);
  }

  /** Reads a large journal. Only one at a time, so that many of them do not fill the memory with what is only read. */
  #readJournal(run: OwnedRun): void {
    this.#planning.set(run.id, run);
    const { store } = this.#ports;
    const { isJournalLarge: _isLarge, ...rest } = run;
    const read = this.#reading.then(async () => {
      if (this.#stopping) return;
      const journal = await store.executions.journal(run);
      await this.#prepare({ ...rest, journal }, undefined, true);
    });
    this.#reading = read.catch((error: unknown) => this.#prepareFailed(run, error));
  }

  /** Reads what a run needs before it starts: its plan, and the variables that its plan uses. */
  async #prepare(run: OwnedRun, known: Plan | undefined, isLarge = false): Promise<void> {
    this.#planning.set(run.id, run);
    const prepared = async (): Promise<[OwnedRun, Plan]> => {
      const plan = known ?? (await this.#plans.load(run));
      const variables = await variablesOf(this.#ports, run, plan);
      if (!isLarge) return [{ ...run, variables }, plan];
      return [{ ...run, variables, folded: await foldInSlices(this.#ports, run, plan) }, plan];
    };
    await prepared().then(
      ([ready, plan]) => this.#activate(ready, plan),
      (error: unknown) => this.#prepareFailed(run, error),
    );
  }

  #activate(run: OwnedRun, plan: Plan): void {
    this.#planning.delete(run.id);
    if (this.#stopping) return;
    const cancelRequested = run.cancelRequested || this.#cancelledEarly.delete(run.id);
    // If this process was stalled, another one may have claimed and released the run. The claim with the higher epoch
    // is valid.
    const other = this.#active.get(run.id);
    if (other !== undefined && other.epoch > run.epoch) return;
    other?.drop();
    try {
      const left = ({ fatal, cached }: Leaving): void => {
        this.#active.delete(run.id);
        this.#hasLeft = true;
        if (fatal !== null) this.#endFatally(run, fatal);
        if (cached !== null) this.#cache.keep(run.id, cached, this.#ports.clock.monotonic());
        this.#claimWhenFree();
      };
      const resume = { executionId: run.id, during: 'resume', nodeId: null } as const;
      const active = this.#ports.work.perform(
        resume,
        () => new ActiveRun(this.#ports, { run: { ...run, cancelRequested }, plan, watch: this.#watch, left }),
      );
      this.#active.set(run.id, active);
      active.start();
    } catch (error) {
      // The journal of this run cannot be folded; other runs continue.
      this.#endFatally(run, fatalErrorAt({ ...run, cancelRequested }, error));
    }
  }

  /** Claims more runs after one has ended, if the store may have more. */
  #claimWhenFree(): void {
    if (this.#mayHavePending) this.#claim();
  }

  #prepareFailed(run: OwnedRun, error: unknown): void {
    if (!isStoreFailure(error)) {
      this.#endFatally(run, fatalErrorAt(run, error));
      return;
    }
    this.#ports.log.warn(
      { err: error, executionId: run.id },
      'the workflow version or the variables of an execution could not be read; trying again',
    );
    this.#tryAgain(() => this.#startRun(run));
  }

  /**
   * Calls `act` after `retryMs`, unless the runner stops first: the run is then released and its next owner retries.
   */
  #tryAgain(act: () => void): void {
    if (this.#stopping) return;
    const cancel = this.#ports.timers.after(retryMs, () => {
      this.#retries.delete(cancel);
      act();
    });
    this.#retries.add(cancel);
  }

  /** Ends a run that cannot continue, so that it does not wait forever. */
  #endFatally(run: ClaimedRun, given: FatalError): void {
    this.#planning.delete(run.id);
    // `stop` releases the run, and its next owner ends it with the same error.
    if (this.#stopping) return;
    const cancelRequested = given.cancelRequested || this.#cancelledEarly.delete(run.id);
    const fatal = { ...given, cancelRequested };
    const fact = endAfter(this.#ports, run.id, fatal);
    appendRun(this.#ports, run, {
      id: run.id,
      workflowId: run.workflowId,
      epoch: run.epoch,
      afterSeq: fatal.afterSeq,
      facts: [fact],
      events: [{ workflowId: run.workflowId, event: endEvent(run.id, fact) }],
    }).catch((failure: unknown) => {
      this.#ports.log.warn({ err: failure, executionId: run.id }, 'a run could not be ended; trying again');
      this.#tryAgain(() => this.#endFatally(run, fatal));
    });
  }
}

/** The variables of a run as they were when it started; null if its expressions read none. */
function variablesOf(
  { store }: Pick<RunnerPorts, 'store'>,
  { id: executionId, workflowId }: ClaimedRun,
  plan: Plan,
): Promise<RunVariables | null> {
  if (plan.variables === null) return Promise.resolve(null);
  const names = plan.variables === 'all' ? null : [...plan.variables];
  return store.variables.ofRun({ executionId, workflowId, names });
}

function fatalErrorAt({ lastSeq, cancelRequested }: ClaimedRun, error: unknown): FatalError {
  return { error, afterSeq: lastSeq, cancelRequested };
}
