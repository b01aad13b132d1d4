import type { Fact, PauseKey, Published } from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { AbandonedWait, Append, ClaimedRun, NewExecution, StateStep } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import type { AttemptEnd } from '../steps/attempts.ts';
import { appendRun } from './append-run.ts';
import { isStoreFailure } from './fatal-error.ts';

type TailPorts = Pick<RunnerPorts, 'store' | 'errorHandler' | 'timers' | 'log'>;

/**
 * The outcome of an append. 'failed': it is not stored yet, and another attempt is due. 'rejected': the database can write,
 * but has refused this append several times.
 */
export type AppendOutcome = 'stored' | 'parked' | 'lost' | 'failed' | 'rejected';

/** How a run is to be parked; null when it is not. */
type Park = Append['park'] | null;
type Appended = (outcome: AppendOutcome, park: Park) => void;

/** A step that is completed by the store, and says afterwards whether that made a fact. */
export interface CompletableStep extends StateStep {
  /** Facts that its last completion made: 1, or 0 for a failure, which is recorded like others. */
  readonly factCount: number;
  /** How the attempt ended; known once the append is stored. */
  readonly end: AttemptEnd | null;
}

/** What has been recorded and is to be stored. */
interface Unstored {
  readonly facts: Fact[];
  readonly events: Published[];
  readonly starts: NewExecution[];
  readonly abandoned: AbandonedWait[];
  /** Comes last: nothing is recorded behind it until its fact is known. */
  state: StateStep | null;
  setForwardMs: number;
}

function nothing(): Unstored {
  return { facts: [], events: [], starts: [], abandoned: [], state: null, setForwardMs: 0 };
}

function isNothing({ facts, events, state, setForwardMs }: Unstored): boolean {
  return facts.length + events.length === 0 && state === null && setForwardMs === 0;
}

/** Milliseconds before another attempt to write the journal: a full disk takes longer to fix. */
const storeRetryMs = 1000;

/**
 * Attempts at an append that the database refuses. A change to a workflow that the run starts may be the cause once or
 * twice, but not more often.
 */
const maxRejections = 3;

/** The end of a run's journal that is not stored yet: gathers what is recorded, and appends it in order. */
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

  /** How many facts wait to be appended, beside those that are on their way. */
  get length(): number {
    return this.#unstored.facts.length;
  }

  /** Why the database refused what it was last given. */
  get rejection(): unknown {
    return this.#rejection;
  }

  /** Where the stored journal ends; null while an append is under way. */
  get storedSeq(): number | null {
    return this.#appending ? null : this.#storedSeq;
  }

  /** True when everything that was recorded is committed. */
  get isStored(): boolean {
    return this.#unstored.facts.length === 0 && this.#completing === null && !this.#appending;
  }

  /** True while the store completes a fact: whatever is recorded must wait until it is known. */
  get isCompleting(): boolean {
    return this.#completing !== null;
  }

  /** Has a step's fact completed by the store, in the transaction that stores it. */
  complete(step: CompletableStep): void {
    this.#completing = step;
    this.#unstored.state = step;
  }

  /** The step whose fact the last append has completed; null when there was none. */
  takeCompleted(): CompletableStep | null {
    const step = this.#unstored.state === null ? this.#completing : null;
    if (step !== null) this.#completing = null;
    return step;
  }

  /** @param abandoned waits that the fact has made pointless */
  record(fact: Fact, abandoned: readonly PauseKey[]): void {
    this.#unstored.facts.push(fact);
    for (const key of abandoned) this.#unstored.abandoned.push({ ...key, at: fact.at });
  }

  publish(event: Published['event']): void {
    this.#unstored.events.push({ workflowId: this.#run.workflowId, event });
  }

  /** Notes by how much more the clock has been set forward. */
  setForward(byMs: number): void {
    this.#unstored.setForwardMs += byMs;
  }

  /** Ends the attempts: the run has left its owner. */
  close(): void {
    this.#closed = true;
    this.#retry?.();
  }

  /** Executions that begin with the facts that are recorded. */
  start(executions: readonly NewExecution[]): void {
    this.#unstored.starts.push(...executions);
  }

  /** Appends what has been recorded, unless an append is under way: when that ends, the run calls this again. */
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
      (error: unknown) => this.#keep(unstored, error),
    );
  }

  /** The database cannot write now, or not this: stores it later. */
  #keep(kept: Unstored, error: unknown): void {
    if (this.#closed) return;
    const { log, timers } = this.#ports;
    log.warn({ err: error, executionId: this.#run.id }, 'the journal could not be written; trying again');
    const { facts, events, starts, abandoned, setForwardMs } = this.#unstored;
    this.#unstored = {
      facts: [...kept.facts, ...facts],
      events: [...kept.events, ...events],
      starts: [...kept.starts, ...starts],
      abandoned: [...kept.abandoned, ...abandoned],
      state: kept.state ?? this.#unstored.state,
      setForwardMs: kept.setForwardMs + setForwardMs,
    };
    this.#rejections = isStoreFailure(error) ? 0 : this.#rejections + 1;
    this.#rejection = error;
    this.#retry = timers.after(storeRetryMs, () => {
      this.#appending = false;
      this.#appended(this.#rejections < maxRejections ? 'failed' : 'rejected', null);
    });
  }
}
