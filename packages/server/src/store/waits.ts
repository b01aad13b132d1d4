import type { Instant, Pause, PauseAnswer, PauseKey } from '@millrace/core';

/**
 * The waits of paused steps. Appending a `step_paused` fact creates a row; the rows are deleted when their run ends.
 */
export interface WaitStore {
  /** The unanswered waits, in the order of frames and nodes. */
  open(executionId: string): Promise<readonly OpenWait[]>;
  /** Answers that the run has not journaled yet. */
  answers(executionId: string): Promise<readonly GivenAnswer[]>;
  /**
   * Answers a wait, once. 'closed' if it is already answered, was never open, or its run has ended. A parked run
   * becomes pending; the owner of a running one is notified. With `early`, a wait that does not exist yet can be
   * answered too, so that its step pauses only briefly.
   */
  answer(params: GivenAnswer & { executionId: string; early?: boolean }): Promise<'answered' | 'closed'>;
  /** The wait with that key, if there was one since its run began or was retried. */
  find(params: PauseKey & { executionId: string }): Promise<FoundWait | null>;
  /** The open wait whose callback token has this SHA-256 (hex); null if there is none. */
  tokenHash(params: PauseKey & { executionId: string }): Promise<string | null>;
  /** When the next wait is due; null if none is. */
  nextDue(): Promise<Instant | null>;
  /** Answers up to `limit` due waits with `time`. Returns how many there were. */
  wakeDue(params: { now: Instant; limit: number }): Promise<number>;
  /**
   * The wall clock was set by `byMs`: shifts the ends of all waits that last for a duration, and records the change for every run without an owner. Each
   * owner records it for its own runs.
   */
  followClock(params: { byMs: number }): Promise<void>;
}

/** An unanswered wait. */
export interface OpenWait extends PauseKey {
  readonly pause: Pause;
  /** Since when; null when an earlier release stored it. */
  readonly pausedAt: Instant | null;
}

/** The state of a wait. */
export interface FoundWait {
  /** Whether it can be answered: it is unanswered, and its run still needs the answer. */
  readonly isOpen: boolean;
  /** Whether it has an answer that the run has not journaled yet. */
  readonly isAnswered: boolean;
  /** Null if it was answered before its step paused. */
  readonly pause: Pause | null;
  /** Since when; null until its step has paused. */
  readonly pausedAt: Instant | null;
}

/** The answer that ended a wait. */
export interface GivenAnswer extends PauseKey {
  readonly answer: PauseAnswer;
}
