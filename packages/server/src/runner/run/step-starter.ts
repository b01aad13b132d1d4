import { effectOf, eventCallOf, type Instant, type LaterNumbers, type StepState } from '@millrace/core';
import type { ClaimedRun } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import type { Attempts } from '../steps/attempts.ts';
import { pinnedOutput } from '../steps/perform.ts';
import type { RunningAttempts } from '../steps/running-attempts.ts';
import { notesItsStart, started, unknownOutcome } from '../steps/unknown-outcome.ts';
import type { JournalTail } from './journal-tail.ts';
import type { Recorder } from './recorder.ts';

interface StepStarterParts {
  readonly clock: RunnerPorts['clock'];
  readonly run: ClaimedRun;
  readonly attempts: Attempts;
  readonly running: RunningAttempts;
  readonly tail: Pick<JournalTail, 'isStored' | 'publish'>;
  readonly numbers: LaterNumbers;
  readonly recorder: Pick<Recorder, 'record' | 'recordEnd'>;
}

/** An attempt that `advance` has decided on, and the time before which it must not start. */
export interface DueAttempt {
  readonly step: StepState;
  readonly attempt: number;
  readonly notBefore: Instant;
}

/**
 * Starts the attempts of one run.
 *
 * Attempts without visible effects may run ahead of the journal: after a crash they run again with the same result. Any
 * other attempt starts only after all facts before it are stored.
 */
export class StepStarter {
  readonly #parts: StepStarterParts;
  /** The steps whose start this owner of the run has journaled. */
  readonly #journaled = new WeakSet<StepState>();
  #stopping = false;

  constructor(parts: StepStarterParts) {
    this.#parts = parts;
  }

  /** Starts no further attempt. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * Starts an attempt if it is due, not running, and the facts before it are stored where necessary. Returns when to
   * look at the run again: infinity for an attempt that reports its end, null if facts were recorded or must be stored
   * first.
   */
  start({ step, attempt, notBefore }: DueAttempt): Instant | null {
    if (this.#stopping || this.#parts.running.of(step) !== undefined) return Number.POSITIVE_INFINITY;
    if (notBefore > this.#parts.clock.now()) return notBefore;
    if (this.#mayRunAhead(step)) return this.#perform(step, attempt);
    return this.#parts.tail.isStored ? this.#startVisible(step, attempt) : null;
  }

  /** True if the attempt has no effect outside: if a crash loses it, it happens again in the same way. */
  #mayRunAhead(step: StepState): boolean {
    return (
      effectOf(step) === 'pure' ||
      step.resumed !== null ||
      // What follows from its calls depends only on them.
      step.calls !== null ||
      pinnedOutput(step, this.#parts.run) !== undefined
    );
  }

  /**
   * Starts an attempt with visible effects. If it must not be repeated without asking, its start is journaled first.
   */
  #startVisible(step: StepState, attempt: number): Instant | null {
    const { clock, recorder } = this.#parts;
    const isJournaled = step.started === attempt;
    if (isJournaled && this.#journaled.has(step)) return this.#perform(step, attempt);
    // Its start was journaled by an earlier process, or before the end that a retry revoked.
    if (isJournaled) recorder.record(unknownOutcome(step, attempt, clock.now()));
    else if (notesItsStart(step)) {
      this.#journaled.add(step);
      recorder.record(started(step, attempt, clock.now()));
    } else return this.#announce(step, attempt);
    return null;
  }

  /** Performs an attempt that may take long, and publishes its start. */
  #announce(step: StepState, attempt: number): Instant | null {
    const { tail, run, numbers } = this.#parts;
    const key = { nodeId: step.node.nodeId, frame: step.frame.key };
    const shown = attempt + numbers.addedTo(key);
    const call = eventCallOf(step.frame);
    const about = { executionId: run.id, ...key, attempt: shown, ...(call && { call }) };
    tail.publish({ type: 'node_status', ...about, status: 'running' });
    return this.#perform(step, attempt);
  }

  #perform(step: StepState, attempt: number): Instant | null {
    const end = this.#parts.attempts.make(step, attempt);
    if (end === null) return Number.POSITIVE_INFINITY;
    this.#parts.recorder.recordEnd(end);
    return null;
  }
}
