import type {
  ChildPaused,
  Execution,
  ExecutionStatus,
  Fact,
  Graph,
  Instant,
  JournalEntry,
  JsonObject,
  LaterNumbers,
  PauseKey,
  Published,
  RunState,
  Trigger,
} from '@millrace/core';
import type { NewChatTurn } from './chats.ts';
import type { Page } from './page.ts';

/** Runs, their journals, and who owns them at the moment. */
export interface ExecutionStore {
  /**
   * Stores a run to be claimed, with its payload, and pins the workflow's version by storing `graph` unless that
   * version is stored already. With an idempotency key seen for this workflow since `idempotentSince`, starts nothing
   * and returns the earlier run.
   */
  accept(params: NewExecution): Promise<{ readonly id: string; readonly created: boolean }>;
  /** The run that was accepted for this workflow with an idempotency key since then; null when there is none. */
  byIdempotencyKey(params: { workflowId: number; key: string; since: Instant }): Promise<string | null>;
  /** How many runs are pending or running. Cheap: may be called for each accepted request. */
  openCount(): Promise<number>;
  /**
   * Takes up to `limit` runs for `owner`: those pending, and those of other owners whose lease ended before `now`. Each
   * gets the status running, a new epoch and the lease. The highest priority goes first; of one priority workflows alternate, and
   * of one workflow the oldest goes first. Those stay pending that would be more than their workflow's `concurrency`.
   * A run in the owner's `cache` that nobody else has had, or added to, since then needs no reading of its journal.
   */
  claim(params: Claim): Promise<readonly ClaimedRun[]>;
  /**
   * Appends facts and publishes events in one transaction, if the run is still at `epoch` and its journal ends at
   * `afterSeq`. A `run_finished` fact also ends the execution, its waits and the runs it waited for, and answers the run
   * that waits for it; a `step_paused` opens a wait, a `step_resumed` takes its answer. 'lost' means that another owner
   * has the run, or that it is gone: the caller must drop it. Nothing is stored then. 'parked' means that the run has
   * left its owner, as `park` asked; 'stored', that it goes on: there are answers to take, or it is to stop.
   */
  append(params: Append): Promise<'stored' | 'parked' | 'lost'>;
  /** Prolongs all leases of the owner. */
  renew(params: { owner: string; leaseUntil: Instant }): Promise<void>;
  /** Gives runs back: pending again, to be claimed by anyone. For a clean stop. */
  release(params: { owner: string }): Promise<void>;
  /** Makes every running execution claimable at once. Only for a process that knows itself alone on the database. */
  recover(): Promise<number>;
  /** Ends a pending run; asks a running one to stop. 'ended' when it had ended before. */
  cancel(params: { id: string; at: Instant }): Promise<'cancelled' | 'requested' | 'ended' | 'missing'>;
  /**
   * Has ended runs go on, all of them or none: the one that was asked for, and those that its steps wait for again. Each is
   * pending then, if its journal still ends where the caller thinks, and its journal says what counts no more. What a step
   * waits for again and has completed meanwhile answers it at once. Publishes `execution_started`. 'changed' when one of
   * them is not as the caller thinks, 'stopping' when one that is waited for has been asked to stop and not ended yet:
   * nothing is stored then.
   */
  retry(params: { runs: readonly RetriedRun[]; at: Instant }): Promise<'pending' | 'changed' | 'stopping'>;
  /** Also a removed workflow's: its history stays. `ownerId` says who may see it. */
  byId(id: string): Promise<OwnedExecution | null>;
  /** The run with its trigger, journal and final output. @throws Problem `data_damaged` */
  detail(id: string): Promise<ExecutionDetail | null>;
  /** The same without what is damaged: one text that cannot be read keeps nobody from seeing the rest. */
  readable(id: string): Promise<ReadableExecution | null>;
  /** The workflows of the runs above a run, the outermost first: of the one whose step started it, and so on. */
  ancestors(id: string): Promise<readonly { readonly workflowId: number; readonly slug: string }[]>;
  list(params: ExecutionFilter): Promise<Page<Execution>>;
  /**
   * Deletes runs with their journals, if they have ended and their workflow is this user's, or one that they edit.
   * Others and unknown ones are left. Returns the deleted ids.
   */
  remove(params: { ids: readonly string[]; removableBy: number }): Promise<readonly string[]>;
}

/** A run to be accepted. */
export interface NewExecution {
  readonly id: string;
  readonly workflowId: number;
  readonly version: number;
  readonly graph: Graph;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  /** Of a workflow with a limit for each key: with which runs it shares that. */
  readonly concurrencyKey?: string | null;
  readonly idempotency: { readonly key: string; readonly since: Instant } | null;
  /** The run whose step starts it, and how many are above it. */
  readonly parent?: { readonly executionId: string; readonly depth: number };
  /** Whether somebody starts it by hand: then pinned outputs hold. */
  readonly isManual?: boolean;
  /** The execution that it replays, and the facts that it begins with. */
  readonly fork?: { readonly executionId: string; readonly facts: readonly Fact[] };
  readonly at: Instant;
  /** The message that starts it: the history of the chat has it as soon as the run is accepted. */
  readonly chat?: NewChatTurn;
}

/** Who wants runs, and how many. */
export interface Claim {
  readonly owner: string;
  readonly now: Instant;
  /** The same moment on the process's clock that nobody can set, in milliseconds. */
  readonly monotonic: number;
  readonly leaseUntil: Instant;
  readonly limit: number;
  readonly cache?: { readonly get: (id: string) => CachedRun | undefined };
}

/** What a process holds in memory of a run that it has parked. */
export interface CachedRun {
  /** Which of its claims ended with that. */
  readonly epoch: number;
  /** Where its journal ended then. */
  readonly lastSeq: number;
  /** The fold of its journal up to there. */
  readonly state: RunState;
  /** What retries have added to the numbers of its attempts. */
  readonly numbers: LaterNumbers;
  readonly trigger: Trigger;
}

/** A run with all that its owner needs to go on with it. */
export interface ClaimedRun {
  readonly id: string;
  readonly workflowId: number;
  readonly workflowSlug: string;
  readonly version: number;
  readonly epoch: number;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  readonly acceptedAt: Instant;
  /** When its first claim began. */
  readonly startedAt: Instant;
  /** Since when its time counts: since it started, or began again after a retry. */
  readonly countsFrom: Instant;
  readonly maxExecutionSeconds: number;
  /** For how long nobody had it since it began: that is not its time. */
  readonly unownedMs: number;
  /** How many runs are above it: 0 for one that no other run started. */
  readonly depth: number;
  readonly cancelRequested: boolean;
  /** How often its process crashed since it last made progress. */
  readonly crashCount: number;
  /** Whether somebody started it by hand. */
  readonly isManual: boolean;
  /** Where its journal ends. */
  readonly lastSeq: number;
  /** Empty where the run comes from the owner's cache. */
  readonly journal: readonly JournalEntry[];
  /** From the owner's cache, if its journal still ends there. */
  readonly cached?: CachedRun;
  /** Why its trigger or its journal cannot be read. Such a run can only be ended. */
  readonly damage?: { readonly error: unknown };
}

/** New facts of a run and the events they cause. */
export interface Append {
  readonly id: string;
  readonly workflowId: number;
  readonly epoch: number;
  readonly afterSeq: number;
  readonly facts: readonly Fact[];
  readonly events: readonly Published[];
  /**
   * Runs that the facts start: accepted in the same transaction. It fails, and stores nothing, where one is refused; but
   * the run whose step starts one with a `parent` hears of the refusal as of that one's failure.
   */
  readonly starts?: readonly NewExecution[];
  /** Waits that the facts have made pointless: they end, and what they wait for is cancelled. */
  readonly abandoned?: readonly AbandonedWait[];
  /**
   * Nothing but waiting is left: the run is to wait without an owner, until a moment at the latest. Its time does not
   * count from `unownedFrom` until it is claimed again; where that is missing, its journal tells how long it waited.
   */
  readonly park?: {
    readonly status: 'waiting' | 'interrupted';
    readonly until: Instant | null;
    readonly unownedFrom?: Instant;
  };
  /**
   * By how much more somebody has set the clock forward since this owner has the run: that is not the run's time.
   * Negative where the clock was set right again.
   */
  readonly setForwardMs?: number;
  /** What the facts answer in the run's chat. The first answer stays: it is the one that was sent. */
  readonly chatAnswer?: string;
}

/** A wait of which nobody needs the answer any more, since a moment. */
export interface AbandonedWait extends PauseKey {
  readonly at: Instant;
}

/** A run that is to go on after its end. */
export interface RetriedRun {
  readonly id: string;
  readonly status: 'failed' | 'cancelled';
  readonly afterSeq: number;
  /** The facts that count no more. */
  readonly revoked: readonly number[];
  /** What its steps wait for again: runs that are retried with it, or that are under way or completed. */
  readonly paused: readonly ChildPaused[];
}

/** A run with the owner of its workflow. */
export interface OwnedExecution extends Execution {
  /** Whether somebody started it by hand. */
  readonly isManual: boolean;
  readonly ownerId: number;
}

/** A run with all that is known of it. */
export interface ExecutionDetail extends OwnedExecution {
  readonly trigger: Trigger;
  readonly finalOutput: JsonObject[string];
  readonly journal: readonly JournalEntry[];
}

/** A run with all of it that can be read. */
export interface ReadableExecution extends ExecutionDetail {
  /** What is damaged. Of a journal the entries that can be read are there, of a trigger nothing. */
  readonly unreadable: readonly ('trigger' | 'journal')[];
}

/** Which runs to list. */
export interface ExecutionFilter {
  /** Runs of workflows that this user owns, or owned until they were removed, and of those that are shared with them. */
  readonly visibleTo: number;
  readonly workflowId?: number;
  readonly status?: ExecutionStatus;
  /** Accepted at this moment or later. */
  readonly since?: Instant;
  /** Accepted at this moment or earlier. */
  readonly until?: Instant;
  /** Text to find in payloads, outputs and errors, case-insensitively. */
  readonly q?: string;
  readonly limit: number;
  readonly offset: number;
}
