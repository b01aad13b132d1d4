import type { Instant, Pause, PauseAnswer, PauseKey } from '@millrace/core';

/** What paused steps of runs wait for. Rows are made by appending a `step_paused` fact, and go when their run ends. */
export interface WaitStore {
  /** What nobody has answered yet, in the order of frames and nodes. */
  open(executionId: string): Promise<readonly OpenWait[]>;
  /** Answers that the run has not journaled yet. */
  answers(executionId: string): Promise<readonly GivenAnswer[]>;
  /**
   * Answers a wait, once: 'closed' when it is answered already, was never open, or its run has ended. A parked run
   * becomes pending; the owner of a running one is told. With `early` a wait that does not exist yet is answered too:
   * the step will not pause for long.
   */
  answer(params: GivenAnswer & { executionId: string; early?: boolean }): Promise<'answered' | 'closed'>;
  /** The wait of that name, if there was one since its run began or was retried. */
  find(params: PauseKey & { executionId: string }): Promise<FoundWait | null>;
  /** The SHA-256 (hex) of a callback's token, of a wait that is open; null for any other. */
  tokenHash(params: PauseKey & { executionId: string }): Promise<string | null>;
  /** When the next wait falls due; null when none will. */
  nextDue(): Promise<Instant | null>;
  /** Answers up to `limit` waits whose time has come with `time`. Returns how many there were. */
  wakeDue(params: { now: Instant; limit: number }): Promise<number>;
}

/** A wait that nobody has answered yet. */
export interface OpenWait extends PauseKey {
  readonly pause: Pause;
}

/** What has become of a wait. */
export interface FoundWait {
  /** Whether it can be answered: it was not, and its run still needs the answer. */
  readonly isOpen: boolean;
  /** Null when it was answered before its step paused. */
  readonly pause: Pause | null;
  /** Since when; null as long as its step has not paused. */
  readonly pausedAt: Instant | null;
}

/** What ended one wait. */
export interface GivenAnswer extends PauseKey {
  readonly answer: PauseAnswer;
}
