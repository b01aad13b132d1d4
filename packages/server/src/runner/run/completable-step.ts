import { applyState, type Fact, type Instant, type Published, type StateEntry, StepError } from '@millrace/core';
import type { CompletedState } from '../../store/executions.ts';
import type { AttemptEnd, StateAttempt } from '../steps/attempts.ts';
import { type EventStep, eventOf } from './events.ts';
import type { CompletableStep } from './journal-tail.ts';

/** The run of a state step. `stepOf` returns what the event of a fact says about its step. */
interface StateRun {
  readonly id: string;
  readonly workflowId: number;
  readonly stepOf: (fact: Fact) => EventStep;
}

/**
 * A state step whose fact the store completes: the stored value is read and written in the transaction of that fact.
 */
export class StateCompletion implements CompletableStep {
  readonly #attempt: StateAttempt;
  readonly #run: StateRun;
  /** How the last completion ended. The store may call `complete` several times; the last call counts. */
  #end: AttemptEnd | null = null;
  #factCount = 0;

  constructor(attempt: StateAttempt, run: StateRun) {
    this.#attempt = attempt;
    this.#run = run;
  }

  get key(): StateAttempt['request'] {
    return this.#attempt.request;
  }

  get at(): Instant {
    return this.#attempt.at;
  }

  get end(): AttemptEnd | null {
    return this.#end;
  }

  get factCount(): number {
    return this.#factCount;
  }

  complete = (stored: StateEntry | null): CompletedState | null => {
    const { request, at, succeeded, failed } = this.#attempt;
    try {
      const { outputs, entry } = applyState(request, stored, at);
      const end = succeeded(outputs);
      this.#end = end;
      this.#factCount = 1;
      const events: readonly Published[] = [
        { workflowId: this.#run.workflowId, event: eventOf(this.#run.id, end.fact, this.#run.stepOf(end.fact)) },
      ];
      return { fact: end.fact, events, entry };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      // A failure changes no state, so its fact is recorded like others.
      this.#end = failed(error);
      this.#factCount = 0;
      return null;
    }
  };
}
