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
  RunIncident,
  RunState,
  StateEntry,
  StateKey,
  Trigger,
} from '@millrace/core';
import type { NewChatTurn } from './chats.ts';
import type { VersionedGraph } from './graphs.ts';
import type { Page } from './page.ts';
import type { NewRecording, RunRecording } from './recordings.ts';
import type { RunVariables } from './variables.ts';

/** Runs, their journals and their current owners. */
export interface ExecutionStore {
  /**
   * Stores a run to be claimed, with its payload, and pins the workflow's version by storing `graph` unless that
   * version is already stored. If the idempotency key was used for this workflow since `idempotency.since`, starts
   * nothing and returns the earlier run.
   * @throws Problem `idempotency_conflict` when the earlier run was started by another body
   */
  accept(params: NewExecution): Promise<{ readonly id: string; readonly created: boolean }>;
  /**
   * The run that was accepted for this workflow with an idempotency key since then; null if there is none.
   * @throws Problem `idempotency_conflict` when it was started by another body
   */
  byIdempotencyKey(params: { readonly workflowId: number } & IdempotentUse): Promise<string | null>;
  /** The number of pending and running runs. Cheap: may be called for each accepted request. */
  openCount(): Promise<number>;
  /**
   * Claims up to `limit` runs for `owner`: pending runs, and runs of other owners whose lease ended before `now`. Each
   * gets the status running, a new epoch and the lease. The highest priority is claimed first; within a priority
   * workflows alternate, and within a workflow the oldest run is first. Runs that would exceed their workflow's
   * `concurrency`, or the `places` of its owner, stay pending. The journal of a run in the owner's `cache` is not read if no other owner had the run
   * or added to it since then.
   */
  claim(params: Claim): Promise<readonly ClaimedRun[]>;
  /**
   * Appends facts and publishes events in one transaction, if the run is still at `epoch` and its journal ends at
   * `afterSeq`. A `run_finished` fact also ends the execution, its waits and the runs it waited for, and answers the
   * run that waits for it; a `step_paused` opens a wait, a `step_resumed` removes its answer. 'lost' means that another
   * owner has the run, or that it was deleted: nothing is stored, and the caller must drop it. 'parked' means that the
   * run no longer has an owner, as `park` requested; 'stored' means that it continues, even if `park` was requested:
   * there are unread answers, or it was asked to stop.
   */
  append(params: Append): Promise<'stored' | 'parked' | 'lost'>;
  /** Renews all leases of the owner. */
  renew(params: { owner: string; leaseUntil: Instant }): Promise<void>;
  /** Returns runs to pending, so that any owner can claim them. For a clean shutdown. */
  release(params: { owner: string }): Promise<void>;
  /**
   * Makes every running execution claimable. Only for a process that is the only user of the database. The run that had
   * the event loop at an unclean end is claimable a few seconds after the others, or at once if it is to fail.
   */
  recover(end?: UncleanEnd | null): Promise<number>;
  /**
   * Ends a pending run; asks a running one to stop. 'ended' if it had already ended. If it waits for many runs, the rest
   * of them end in later transactions.
   */
  cancel(params: { id: string; at: Instant }): Promise<'cancelled' | 'requested' | 'ended' | 'missing'>;
  /** Ends the runs that a cancellation has only asked to stop, because the process ended or the disk was full. */
  finishCancellations(params: { at: Instant }): Promise<void>;
  /**
   * Retries ended runs, all of them or none: the requested run, and those that its steps wait for again. Each becomes
   * pending if its journal still ends where the caller expects, and its journal records which facts no longer count. If
   * a step waits again for a run that has completed meanwhile, the wait is answered at once. Publishes
   * `execution_started`. 'changed' if one of the runs is not as the caller expects, 'stopping' if a run that is waited
   * for was asked to stop and has not ended yet; nothing is stored then.
   */
  retry(params: { runs: readonly RetriedRun[]; at: Instant }): Promise<'pending' | 'changed' | 'stopping'>;
  /** Includes runs of deleted workflows, whose history remains. The caller checks access by `ownerId`. */
  byId(id: string): Promise<OwnedExecution | null>;
  /**
   * The facts of a claimed run up to this number, if `claim` has not read them. The event loop does other work meanwhile.
   * @throws Problem `data_damaged`
   */
  journal(params: { id: string; lastSeq: number }): Promise<readonly JournalEntry[]>;
  /** True if the journal of a run is so large that it is read in slices. */
  isLarge(id: string): Promise<boolean>;
  /** The run with its trigger, journal and final output. @throws Problem `data_damaged` */
  detail(id: string): Promise<ExecutionDetail | null>;
  /** The same without its damaged parts: one unreadable value does not hide the rest. */
  readable(id: string): Promise<ReadableExecution | null>;
  /** The workflows of the runs above a run, outermost first: of the run whose step started it, and so on. */
  ancestors(id: string): Promise<readonly { readonly workflowId: number; readonly slug: string }[]>;
  list(params: ExecutionFilter): Promise<Page<Execution>>;
  /**
   * Deletes runs with their journals if they have ended and their workflow belongs to this user, or the user is an
   * editor of it. Ignores others and unknown ids. Returns the deleted ids.
   */
  remove(params: { ids: readonly string[]; removableBy: number }): Promise<readonly string[]>;
}

/** What makes a request known when it is sent again. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of the body, which must be the same each time; null where the key alone decides. */
  readonly bodyHash: string | null;
}

/** A use of a key, with the moment from which earlier uses count. */
export interface IdempotentUse extends Idempotency {
  readonly since: Instant;
}

/** A run as it is accepted and stored. Every trigger makes one; `ClaimedRun` is the same run for its owner. */
export interface NewExecution {
  readonly id: string;
  readonly workflowId: number;
  /** Of the version that the run pins. */
  readonly graph: VersionedGraph;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  /** For a workflow with a limit for each key: the key by which runs share it. */
  readonly concurrencyKey?: string | null;
  readonly idempotency: IdempotentUse | null;
  /** The run whose step starts this one, and the number of runs above it. */
  readonly parent?: {
    readonly executionId: string;
    readonly depth: number;
    /** Not stored: for the step that waits for this run. */
    readonly isPublicCall?: true;
  };
  /** Whether a person starts it manually: then pinned outputs apply. */
  readonly isManual?: boolean;
  /** The last node to run; null or absent for all nodes. */
  readonly toNodeId?: string | null;
  /** The execution that it replays, and the facts that it starts with. */
  readonly fork?: { readonly executionId: string; readonly facts: readonly Fact[] };
  /** How it takes part in a recording; absent if it does not. */
  readonly recording?: NewRecording;
  readonly at: Instant;
  /** The message that starts it, which is in the chat history as soon as the run is accepted. */
  readonly chat?: NewChatTurn;
}

/** The owner that claims runs, and how many it claims. */
export interface Claim {
  readonly owner: string;
  readonly now: Instant;
  /** The same time on the process's monotonic clock, in milliseconds. */
  readonly monotonic: number;
  readonly leaseUntil: Instant;
  readonly limit: number;
  readonly cache?: { readonly get: (id: string) => CachedRun | undefined };
  /** What the owners of the runs may have of this process; without it, each as much as there is. */
  readonly places?: Places;
}

/** The places for runs of one process, which the owners of their workflows share. */
export interface Places {
  /** At least how many more runs an owner may have; 0 or less if it may have none. */
  placesFor(ownerId: number): number;
  /** Why an owner may not have one more run of this size in bytes; null if it may. */
  lackedBy(ownerId: number, size: number): 'place' | 'memory' | null;
  /** An owner has one more run. */
  take(run: { readonly ownerId: number; readonly size: number }): void;
}

/** The in-memory state of a run that a process has parked. */
export interface CachedRun {
  /** The epoch of the claim that ended then. */
  readonly epoch: number;
  /** The last sequence number of its journal at that time. */
  readonly lastSeq: number;
  /** The fold of its journal up to that point. */
  readonly state: RunState;
  /** The number that retries have added to its attempt numbers. */
  readonly numbers: LaterNumbers;
  readonly trigger: Trigger;
  readonly variables?: RunVariables | null;
  /** By how much the clock was set in total, as far as the state follows it. */
  readonly clockSetMs: number;
}

/** A change of the wall clock while a run was in progress. */
export interface RunClockSet {
  /** Facts after this number have times of the new clock. */
  readonly afterSeq: number;
  /** Milliseconds; negative if the clock was set back. */
  readonly byMs: number;
}

/** The run that had the event loop when its process ended. */
export interface UncleanEnd extends Omit<RunIncident, 'count'> {
  readonly executionId: string;
  /** Whether the run ended the process. If not, the process may have been killed while the run had the event loop. */
  readonly isCertain: boolean;
  /** Names the process that ended, so that its end is counted once. */
  readonly processId: string;
}

/** A run with all that its owner needs to continue it. */
export interface ClaimedRun {
  readonly id: string;
  readonly workflowId: number;
  /** The owner of its workflow. */
  readonly ownerId: number;
  readonly workflowSlug: string;
  readonly version: number;
  readonly epoch: number;
  /** The bytes of its payload and its journal as JSON. */
  readonly size: number;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  readonly acceptedAt: Instant;
  /** When its first claim began. */
  readonly startedAt: Instant;
  /** The start of its time limit: its first claim, or the first claim after a retry. */
  readonly countsFrom: Instant;
  readonly maxExecutionSeconds: number;
  /**
   * How long it has had no owner since it began, and by how much the clock was set: this does not count towards its
   * time limit.
   */
  readonly unownedMs: number;
  /** The changes of the clock since it began, in their order. */
  readonly clockSets: readonly RunClockSet[];
  /** The number of runs above it: 0 for one that no other run started. */
  readonly depth: number;
  readonly cancelRequested: boolean;
  /** The number of crashes of its process since it last made progress. */
  readonly crashCount: number;
  /** How the run itself has crashed or stalled the process; null if it has not. */
  readonly incident: RunIncident | null;
  /** Whether a person started it manually. */
  readonly isManual: boolean;
  /** The last node to run; null for all nodes. */
  readonly toNodeId: string | null;
  /** The recording in which it takes part; null or absent if it does not. */
  readonly recording?: RunRecording | null;
  /** The last sequence number of its journal. */
  readonly lastSeq: number;
  /** Empty if the run comes from the owner's cache, or if the journal is large. */
  readonly journal: readonly JournalEntry[];
  /** True if the journal is large: its owner reads it by `journal`. */
  readonly isJournalLarge?: true;
  /** From the owner's cache, if its journal still ends at the same number. */
  readonly cached?: CachedRun;
  /** What its expressions read as `vars`, once its owner has read that; null or absent where they read none. */
  readonly variables?: RunVariables | null;
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
   * Runs that the facts start, accepted in the same transaction. If one is rejected, the append fails and stores
   * nothing; for a run with a `parent`, the parent step receives the rejection as the failure of that run.
   */
  readonly starts?: readonly NewExecution[];
  /** A step whose fact follows from a stored value: it comes after the other facts. */
  readonly stateStep?: StateStep;
  /** Waits that the facts have made pointless: they end, and what they wait for is cancelled. */
  readonly abandoned?: readonly AbandonedWait[];
  /**
   * The run only waits now: it is to wait without an owner, until a given time at the latest. The time from
   * `unownedFrom` to the next claim does not count towards its time limit; if `unownedFrom` is missing, that time is
   * read from its journal.
   */
  readonly park?: {
    readonly status: 'waiting' | 'interrupted';
    readonly until: Instant | null;
    readonly unownedFrom?: Instant;
  };
  /** Changes of the clock since the last append: after how many of its facts, and by how much. */
  readonly clockSets?: readonly { readonly afterFacts: number; readonly byMs: number }[];
  /** The answer of these facts in the run's chat. The first answer is final, because it was already sent. */
  readonly chatAnswer?: string;
  /** The same for the chat of a bot, if it is text, and when it is to be sent. */
  readonly botAnswer?: { readonly text: string; readonly at: Instant };
}

/** A step that reads and writes a value of state in the transaction that stores its fact. */
export interface StateStep {
  readonly key: StateKey;
  readonly at: Instant;
  /**
   * Called in the transaction with what is stored, perhaps twice: the fact and its events, and the entry afterwards.
   * Null stores nothing of the step.
   */
  readonly complete: (stored: StateEntry | null) => CompletedState | null;
}

/** What a step made of the stored value. */
export interface CompletedState {
  readonly fact: Fact;
  readonly events: readonly Published[];
  readonly entry: StateEntry | null | 'same';
}

/** A wait of which nobody needs the answer any more, since a moment. */
export interface AbandonedWait extends PauseKey {
  readonly at: Instant;
}

/** A run that is to continue after its end. */
export interface RetriedRun {
  readonly id: string;
  readonly status: 'failed' | 'cancelled';
  readonly afterSeq: number;
  /** The facts that no longer count. */
  readonly revoked: readonly number[];
  /** The version that it begins with, where that is another one. */
  readonly pin?: { readonly version: number; readonly graph: Graph };
  /** What its steps wait for again: runs that are retried with it, in progress or completed. */
  readonly paused: readonly ChildPaused[];
}

/** A run with the owner of its workflow. */
export interface OwnedExecution extends Execution {
  /** Whether a person started it manually. */
  readonly isManual: boolean;
  readonly ownerId: number;
  /** The recording in which it takes part; null if it does not. */
  readonly recordedIn: RunRecording | null;
}

/** A run with its trigger and journal. */
export interface ExecutionDetail extends OwnedExecution {
  readonly trigger: Trigger;
  readonly finalOutput: JsonObject[string];
  readonly journal: readonly JournalEntry[];
}

/** A run with all of its parts that can be read. */
export interface ReadableExecution extends ExecutionDetail {
  /** The damaged parts. Of a damaged journal the readable entries are included; of a damaged trigger nothing is. */
  readonly unreadable: readonly ('trigger' | 'journal')[];
}

/** Which runs to list. */
export interface ExecutionFilter {
  /** Runs of workflows that this user owns, or owned until they were deleted, and of workflows shared with the user. */
  readonly visibleTo: number;
  readonly workflowId?: number;
  readonly status?: ExecutionStatus;
  /** Accepted at this time or later. */
  readonly since?: Instant;
  /** Accepted at this time or earlier. */
  readonly until?: Instant;
  /** Text to find in payloads, outputs and errors, case-insensitively. */
  readonly q?: string;
  readonly limit: number;
  readonly offset: number;
}
