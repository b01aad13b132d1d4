import type { HttpAnswer } from '../../component/component.ts';
import type { ModelUsage } from '../../component/model.ts';
import type { Pause, PauseAnswer, PauseStage } from '../../component/pause.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Instant } from '../../time.ts';

/** Why a step or a run failed, in words for the workflow's author. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What names a step in a run. */
export interface StepKey {
  readonly nodeId: string;
  /**
   * The run itself is the frame `''`; an iteration of a loop is `loop[3]`, nested `outer[1]/inner[3]`. From a loop's
   * second attempt on its number is part of the name, `loop#2[3]`: what an earlier attempt did is nothing of this one's.
   */
  readonly frame: string;
}

interface StepFact extends StepKey {
  readonly at: Instant;
}

/** An attempt is about to act, and must not be repeated unasked: after a crash this says that it may have acted. */
export interface StepStarted extends StepFact {
  readonly kind: 'step_started';
  readonly attempt: number;
}

/** A node finished; `outputs` holds a value for each port it filled. */
export interface StepSucceeded extends StepFact {
  readonly kind: 'step_succeeded';
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly outputs: JsonObject;
  readonly route?: string;
  readonly respond?: HttpAnswer;
  readonly metadata?: JsonObject;
  /** It is another execution's, and that one went on after it: nobody is asked (`interrupt_after`) whether to go on. */
  readonly agreed?: true;
  /** What its model calls took. */
  readonly usage?: ModelUsage;
}

/** An attempt failed. With `retryAt` another attempt follows then; without it, `on_error` decides. */
export interface StepFailed extends StepFact {
  readonly kind: 'step_failed';
  readonly attempt: number;
  readonly durationMs: number;
  readonly failure: Failure;
  /** Of a loop that an item ended: the step whose failure it was. */
  readonly cause?: StepKey;
  readonly retryAt: Instant | null;
  /** What is known beside the failure, such as what code wrote to its console. */
  readonly metadata?: JsonObject;
  readonly usage?: ModelUsage;
}

/**
 * An attempt was under way when what it was part of ended: its run, or an iteration that failed. Nothing follows from
 * it. It comes before the fact that ended it.
 */
export interface StepStopped extends StepFact {
  readonly kind: 'step_stopped';
  readonly attempt: number;
  readonly startedAt: Instant;
  readonly failure: Failure;
  readonly usage?: ModelUsage;
}

/** Every incoming edge was dead, or the join can no longer be met. */
export interface StepSkipped extends StepFact {
  readonly kind: 'step_skipped';
}

/** A loop begins: its body runs once for each of the items, in a frame of its own. How it ended is a later fact. */
export interface LoopStarted extends StepFact {
  readonly kind: 'loop_started';
  readonly attempt: number;
  readonly items: readonly Json[];
  /** How many of its frames may be under way at once. */
  readonly concurrency: number;
  /** Whether an item that fails ends the loop. */
  readonly onItemError: 'stop' | 'continue';
}

/** A step waits for something outside, and holds nothing while it does. */
export interface StepPaused extends StepFact {
  readonly kind: 'step_paused';
  readonly stage: PauseStage;
  /** The attempt that paused; 0 before the first one. */
  readonly attempt: number;
  readonly pause: Pause;
}

/** A step waits for the end of a sub-workflow. */
export interface ChildPaused extends StepPaused {
  readonly pause: Extract<Pause, { kind: 'child' }>;
}

/** What a step waited for has come. */
export interface StepResumed extends StepFact {
  readonly kind: 'step_resumed';
  readonly stage: PauseStage;
  readonly answer: PauseAnswer;
}

/** The last fact of a run. */
export interface RunFinished {
  readonly kind: 'run_finished';
  readonly at: Instant;
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** `final_output`; null unless completed. */
  readonly output: Json;
  readonly failure: Failure | null;
  /** The node whose failure ended the run, or the one that it was at when its time was up. */
  readonly nodeId: string | null;
  /** What came of the workflow's error handler; absent where it has none, and unless failed. */
  readonly errorHandler?: ErrorHandling;
}

/** A failed run's error handler: the execution it started, or why it started none. */
export type ErrorHandling = { readonly executionId: string } | { readonly skipped: string };

/** One thing that happened in a run. State is the fold of these and nothing else. */
export type Fact =
  | StepStarted
  | StepSucceeded
  | StepFailed
  | StepStopped
  | StepSkipped
  | LoopStarted
  | StepPaused
  | StepResumed
  | RunFinished;

/** Somebody had the failed run go on: the facts with these numbers count no more. */
export interface RunRetried {
  readonly kind: 'run_retried';
  readonly at: Instant;
  readonly revoked: readonly number[];
}

/** A fact with its place in the journal: gapless from 1 in each run. */
export interface JournalEntry {
  readonly seq: number;
  readonly fact: Fact | RunRetried;
}

/** An entry that no retry took back. */
export interface StandingEntry {
  readonly seq: number;
  readonly fact: Fact;
}
