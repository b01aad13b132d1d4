import {
  applyFact,
  eventCallOf,
  type Fact,
  type Failure,
  type LaterNumbers,
  maxOutputs,
  outputFailure,
  type RunFinished,
  type RunState,
  type StepFailed,
  type StepResumed,
  type StepState,
  type StepSucceeded,
  sizeFailure,
  stepAt,
  valueSize,
} from '@millrace/core';
import type { ClaimedRun } from '../../store/executions.ts';
import type { AttemptEnd, StateAttempt } from '../steps/attempts.ts';
import type { RunningAttempts } from '../steps/running-attempts.ts';
import { type Stop, stopped, stoppedBefore } from '../steps/stopped.ts';
import { StateCompletion } from './completable-step.ts';
import { type EventStep, eventOf } from './events.ts';
import type { CompletableStep, JournalTail } from './journal-tail.ts';

interface RecorderParts {
  readonly run: ClaimedRun;
  readonly state: RunState;
  readonly tail: JournalTail;
  readonly running: RunningAttempts;
  /** Steps that an earlier owner of the run may have started. */
  readonly inherited: ReadonlySet<StepState>;
  /** The offsets that turn its attempt numbers into those that its log shows. */
  readonly numbers: LaterNumbers;
  /** The limit of the run's outputs, in characters of JSON. */
  readonly maxSize: number;
}

/** Records the facts of one run: each goes into the state, into the journal, and to subscribers as an event. */
export class Recorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  record(fact: Fact): void {
    this.#record(fact);
  }

  /** False if a failure is recorded instead. */
  #record(fact: Fact): boolean {
    if (fact.kind === 'step_succeeded') return this.#recordSuccess(fact);
    this.#store(fact);
    return true;
  }

  /** Outputs that are too large are not stored: a failure replaces them, of the step or of the whole run. */
  #recordSuccess(fact: StepSucceeded): boolean {
    const { state, maxSize } = this.#parts;
    const size = valueSize(fact.outputs, Math.min(maxOutputs, maxSize - state.size));
    const isRunTooLarge = state.size + size > maxSize;
    const failure = isRunTooLarge ? sizeFailure(maxSize) : outputFailure(size);
    if (failure === null) {
      this.#store(fact);
      return true;
    }
    this.#store(failedInstead(fact, failure));
    if (!isRunTooLarge) return false;
    this.finish({ kind: 'run_finished', at: fact.at, status: 'failed', output: null, failure, nodeId: fact.nodeId });
    return false;
  }

  #store(fact: Fact): void {
    const { run, state, tail } = this.#parts;
    const event = eventOf(run.id, fact, this.#stepOf(fact));
    applyFact(state, fact);
    if (fact.kind === 'step_failed') this.#stopAbandoned(fact);
    tail.record(fact, state.abandoned.splice(0));
    tail.publish(event);
  }

  /** What the event of a fact says about its step. Call it before the fact becomes part of the state. */
  #stepOf(fact: Fact): EventStep {
    if (fact.kind === 'run_finished') return { attempt: 0 };
    const { state, numbers } = this.#parts;
    const step = stepAt(state, fact);
    const call = step && eventCallOf(step.frame);
    if (fact.kind === 'step_skipped') return { attempt: 0, call };
    const attempt = 'attempt' in fact ? fact.attempt : resumedAttempt(fact, step);
    return { attempt: attempt === 0 ? 0 : attempt + numbers.addedTo(fact), call };
  }

  /** Records how an attempt ended, and the executions that start with it; the store completes a state step. */
  recordEnd(end: AttemptEnd | StateAttempt): void {
    const { tail, run } = this.#parts;
    if ('request' in end) tail.complete(new StateCompletion(end, { ...run, stepOf: (fact) => this.#stepOf(fact) }));
    else {
      // A step that failed for the size of its outputs starts nothing, like every step that fails.
      if (this.#record(end.fact)) tail.start(end.starts);
    }
  }

  /** Applies a state step that the store has completed: its fact is in the journal, unless it failed. */
  recordCompleted({ end, factCount }: CompletableStep): void {
    if (end === null) return;
    if (factCount === 0) this.recordEnd(end);
    else applyFact(this.#parts.state, end.fact);
  }

  /** Ends the run, and all running attempts with it. */
  finish(end: RunFinished): void {
    const { state, running } = this.#parts;
    const { at, failure } = end;
    if (failure !== null) for (const step of state.open) this.#recordStop(step, { at, reason: failure });
    running.abortAll();
    this.record(end);
  }

  #recordStop(step: StepState, stop: Stop): void {
    const { running, inherited } = this.#parts;
    const attempt = running.of(step);
    if (attempt !== undefined) this.record(stopped(attempt, stop));
    else if (inherited.has(step)) this.record(stoppedBefore(step, stop));
  }

  /** Stops the running attempts of an iteration that a failure has ended. */
  #stopAbandoned({ at, failure: reason }: StepFailed): void {
    const { state, running } = this.#parts;
    for (const attempt of running.abortAllBut(state.open)) this.record(stopped(attempt, { at, reason }));
  }
}

/** Another attempt would have the same outputs, so there is none. */
function failedInstead(fact: StepSucceeded, failure: Failure): StepFailed {
  const { nodeId, frame, at, attempt, durationMs, usage } = fact;
  const about = { nodeId, frame, at, attempt, durationMs, ...(usage !== undefined && { usage }) };
  return { kind: 'step_failed', ...about, failure, retryAt: null };
}

/** An answer after a step belongs to the attempt that has succeeded, any other to the next one. */
function resumedAttempt({ stage }: StepResumed, step: StepState | undefined): number {
  const ended = step?.attempts ?? 0;
  return stage === 'after' ? ended : ended + 1;
}
