import type { Fact, PauseKey, Published } from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { AbandonedWait, Append, ClaimedRun, NewExecution, StateStep } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import type { AttemptEnd } from '../steps/attempts.ts';
import { appendRun } from './append-run.ts';
import { isStoreFailure } from './fatal-error.ts';

type TailPorts = Pick<RunnerPorts, 'store' | 'errorHandler' | 'timers' | 'log'>;

/**
 * The outcome of an append. 'parked': stored, and the run has no owner now. 'lost': the run has another owner or was
 * deleted, and nothing was stored. 'failed': it is not stored yet, and another attempt is due. 'rejected': the database
 * can write, but has rejected this append several times.
 */
export type AppendOutcome = 'stored' | 'parked' | 'lost' | 'failed' | 'rejected';

/** How to park the run; null to keep it. */
type Park = Append['park'] | null;
type Appended = (outcome: AppendOutcome, park: Park) => void;

/** A `state` step: the store computes its result in the transaction that stores it. */
export interface CompletableStep extends StateStep {
  /**
   * The number of facts that the store added when it completed the step: 1, or 0 if the step failed, because failures
   * are recorded by the runner.
   */
  readonly factCount: number;
  /** How the attempt ended; set once the append is stored. */
  readonly end: AttemptEnd | null;
}

/** What is recorded and not stored yet. */
interface Unstored {
  readonly facts: Fact[];
  readonly events: Published[];
  readonly starts: NewExecution[];
  readonly abandoned: AbandonedWait[];
  /** Comes last: nothing is recorded after it until its fact is complete. */
  state: StateStep | null;
  readonly clockSets: { readonly afterFacts: number; readonly byMs: number }[];
}

function nothing(): Unstored {
  return { facts: [], events: [], starts: [], abandoned: [], state: null, clockSets: [] };
}

// Starts and ended waits are always recorded with a fact.
function isNothing({ facts, events, state, clockSets }: Unstored): boolean {
  return facts.length + events.length + clockSets.length === 0 && state === null;
}

/**
 * Milliseconds before the next attempt to write the journal: short compared with the time that a full disk takes to
 * fix.
 */
const storeRetryMs = 1000;

/**
 * The maximum number of attempts at an append that the database rejects. Concurrent changes to a sub-workflow may cause
 * one or two rejections, but not more.
 */
const maxRejections = 3;

/** The end of a run's journal that is not stored yet: collects what is recorded, and appends it in order. */
export class JournalTail {
  readonly #ports: TailPorts;
  readonly #run: ClaimedRun;
  readonly #appended: Appended;
  #unstored = nothing();
  #storedSeq: number;
  #appending = false;
  #rejections = 0;
  #rejection: unknown = null;
  #retry: CancelTimer | null = null;
  #closed = false;
  /** A step whose fact the store completes, from its request until the append that stores it. */
  #completing: CompletableStep | null = null;

  constructor(ports: TailPorts, run: ClaimedRun, appended: Appended) {
    this.#ports = ports;
    this.#run = run;
    this.#appended = appended;
    this.#storedSeq = run.lastSeq;
  }

  /** How many facts wait to be appended, without those of an append in progress. */
  get length(): number {
    return this.#unstored.facts.length;
  }

  /** Why the database rejected the last append. */
  get rejection(): unknown {
    return this.#rejection;
  }

  /** Where the stored journal ends; null during an append. */
  get storedSeq(): number | null {
    return this.#appending ? null : this.#storedSeq;
  }

  /** True if all recorded facts are committed. */
  get isStored(): boolean {
    return this.#unstored.facts.length === 0 && this.#completing === null && !this.#appending;
  }

  /** True while the store completes a fact: nothing may be recorded until it is complete. */
  get isCompleting(): boolean {
    return this.#completing !== null;
  }

  /** Requests that the store completes a step's fact, in the transaction that stores it. */
  complete(step: CompletableStep): void {
    this.#completing = step;
    this.#unstored.state = step;
  }

  /** The step whose fact the last append has completed; null if there is none. */
  takeCompleted(): CompletableStep | null {
    const step = this.#unstored.state === null ? this.#completing : null;
    if (step !== null) this.#completing = null;
    return step;
  }

  /** @param abandoned waits that the fact has ended */
  record(fact: Fact, abandoned: readonly PauseKey[]): void {
    this.#unstored.facts.push(fact);
    for (const key of abandoned) this.#unstored.abandoned.push({ ...key, at: fact.at });
  }

  publish(event: Published['event']): void {
    this.#unstored.events.push({ workflowId: this.#run.workflowId, event });
  }

  /** Records a change of the clock: later facts have times of the new clock. */
  clockSet(byMs: number): void {
    this.#unstored.clockSets.push({ afterFacts: this.#unstored.facts.length, byMs });
  }

  /** Stops the retries: this process no longer performs the run. */
  close(): void {
    this.#closed = true;
    this.#retry?.();
  }

  /** Adds executions that start with the recorded facts. */
  start(executions: readonly NewExecution[]): void {
    this.#unstored.starts.push(...executions);
  }

  /** Appends what is recorded, unless an append is in progress: when that ends, the run calls this again. */
  append(park: Park): void {
    const unstored = this.#unstored;
    if (this.#appending || (isNothing(unstored) && park === null)) return;
    this.#appending = true;
    this.#unstored = nothing();
    const { id, workflowId, epoch } = this.#run;
    const { state, ...rest } = unstored;
    const append = { id, workflowId, epoch, afterSeq: this.#storedSeq, ...rest, ...(park && { park }) };
    appendRun(this.#ports, this.#run, state === null ? append : { ...append, stateStep: state }).then(
      (outcome) => {
        this.#appending = false;
        this.#rejections = 0;
        this.#storedSeq += unstored.facts.length + (state === null ? 0 : (this.#completing?.factCount ?? 0));
        this.#appended(outcome, park);
      },
      (error: unknown) => this.#retryLater(unstored, error),
    );
  }

  /** The database cannot write now, or rejects this append: it is retried later. */
  #retryLater(failed: Unstored, error: unknown): void {
    if (this.#closed) return;
    const { log, timers } = this.#ports;
    log.warn({ err: error, executionId: this.#run.id }, 'the journal could not be written; trying again');
    const { facts, events, starts, abandoned, clockSets } = this.#unstored;
    const later = clockSets.map(({ afterFacts, byMs }) => ({ afterFacts: failed.facts.length + afterFacts, byMs }));
    this.#unstored = {
      facts: [...failed.facts, ...facts],
      events: [...failed.events, ...events],
      starts: [...failed.starts, ...starts],
      abandoned: [...failed.abandoned, ...abandoned],
      state: failed.state ?? this.#unstored.state,
      clockSets: [...failed.clockSets, ...later],
    };
    this.#rejections = isStoreFailure(error) ? 0 : this.#rejections + 1;
    this.#rejection = error;
    this.#retry = timers.after(storeRetryMs, () => {
      this.#appending = false;
      this.#appended(this.#rejections < maxRejections ? 'failed' : 'rejected', null);
    });
  }
}
