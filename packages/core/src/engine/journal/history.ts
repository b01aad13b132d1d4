import type { HttpAnswer } from '../../component/component.ts';
import type { StepUsage } from '../../component/model.ts';
import type { Pause, PauseAnswer, PauseStage } from '../../component/pause.ts';
import type { Call } from '../../component/tools/calls.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Instant } from '../../time.ts';

/** The reason why a step or a run failed, as a message for the workflow's author. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Identifies a step in a run. */
export interface StepKey {
  readonly nodeId: string;
  /**
   * The run itself is the frame `''`; an iteration of a loop is `loop[3]`, nested `outer[1]/inner[3]`; a call of a step
   * is `agent[3]`. From a node's second attempt on, the attempt's number is part of the name, `loop#2[3]`: frames of
   * different attempts are separate.
   */
  readonly frame: string;
}

interface StepFact extends StepKey {
  readonly at: Instant;
}

/**
 * An attempt is about to act and must not be repeated automatically: after a crash this fact means that it may have
 * acted.
 */
export interface StepStarted extends StepFact {
  readonly kind: 'step_started';
  readonly attempt: number;
}

/** A node finished; `outputs` contains a value for each port that it filled. */
export interface StepSucceeded extends StepFact {
  readonly kind: 'step_succeeded';
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly outputs: JsonObject;
  readonly route?: string;
  readonly respond?: HttpAnswer;
  readonly metadata?: JsonObject;
  /** The result of another execution, which continued after it: no approval (`interrupt_after`) is requested. */
  readonly agreed?: true;
  /** The usage of its model calls. */
  readonly usage?: StepUsage;
}

/** An attempt failed. With `retryAt` another attempt follows at that time; without it, `on_error` decides. */
export interface StepFailed extends StepFact {
  readonly kind: 'step_failed';
  readonly attempt: number;
  readonly durationMs: number;
  readonly failure: Failure;
  /** For a loop that an item ended, or a step that a call ended: the step whose failure caused it. */
  readonly cause?: StepKey;
  readonly retryAt: Instant | null;
  /** Additional information about the failure, such as the console output of code. */
  readonly metadata?: JsonObject;
  readonly usage?: StepUsage;
}

/**
 * An attempt was in progress when its run ended or its iteration failed. It has no further effect, and precedes the
 * fact that ended the run or iteration.
 */
export interface StepStopped extends StepFact {
  readonly kind: 'step_stopped';
  readonly attempt: number;
  readonly startedAt: Instant;
  readonly failure: Failure;
  readonly usage?: StepUsage;
}

/** Every incoming edge was dead, or the join can no longer be met. */
export interface StepSkipped extends StepFact {
  readonly kind: 'step_skipped';
}

/** A loop begins: its body runs once for each of the items, each in its own frame. Its end is a later fact. */
export interface LoopStarted extends StepFact {
  readonly kind: 'loop_started';
  readonly attempt: number;
  readonly items: readonly Json[];
  /** The most frames in progress at once. */
  readonly concurrency: number;
  /** Whether a failed item ends the loop. */
  readonly onItemError: 'stop' | 'continue';
}

/**
 * A step makes calls before it has a result. Each call is a step of the called node in a frame of its own: `agent[0]`,
 * `agent[1]`, in the order in which they were decided.
 */
export interface CallsOpened extends StepFact {
  readonly kind: 'calls_opened';
  readonly attempt: number;
  /** What the step begins with, as its later decisions read it. Only in the first such fact of an attempt. */
  readonly brief?: JsonObject;
  /** The most calls in progress at once. */
  readonly concurrency: number;
  readonly calls: readonly Call[];
}

/** A step waits for an external event without holding resources. */
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

/** The event that a step waited for has arrived. */
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
  /** The node whose failure ended the run, or the current node when its time was up. */
  readonly nodeId: string | null;
  /** The result of the workflow's error handler. Absent if the workflow has none, or if the run did not fail. */
  readonly errorHandler?: ErrorHandling;
}

/** A failed run's error handler: the execution it started, or the reason why it started none. */
export type ErrorHandling = { readonly executionId: string } | { readonly skipped: string };

/** One event in a run. State is the fold of these and nothing else. */
export type Fact =
  | StepStarted
  | StepSucceeded
  | StepFailed
  | StepStopped
  | StepSkipped
  | LoopStarted
  | CallsOpened
  | StepPaused
  | StepResumed
  | RunFinished;

/** A user retried the failed run: the facts with these numbers are revoked. */
export interface RunRetried {
  readonly kind: 'run_retried';
  readonly at: Instant;
  readonly revoked: readonly number[];
}

/** A fact with its number in the journal: gapless from 1 in each run. */
export interface JournalEntry {
  readonly seq: number;
  readonly fact: Fact | RunRetried;
}

/** An entry that no retry has revoked. */
export interface StandingEntry {
  readonly seq: number;
  readonly fact: Fact;
}
