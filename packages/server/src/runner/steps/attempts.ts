import {
  attemptNumbers,
  type Fact,
  type LaterNumbers,
  type RunScope,
  StepError,
  type StepOutcome,
  type StepState,
} from '@millrace/core';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import type { Attempt } from './attempt.ts';
import { BoundModel } from './bound-model.ts';
import type { Flight, Flights } from './flights.ts';
import { callComponent, ended, failed, type Times, timeoutOf } from './perform.ts';

/** How an attempt ended, and the executions that begin with that. */
export interface AttemptEnd {
  readonly fact: Fact;
  readonly starts: readonly NewExecution[];
}

interface AttemptsParts {
  readonly ports: RunnerPorts;
  readonly run: ClaimedRun;
  readonly scope: RunScope;
  readonly flights: Flights;
  /** Hears of the end of each attempt that took its time. */
  readonly ended: (end: AttemptEnd) => void;
}

/** Makes the attempts of one run: calls the component, and turns whatever it does into a fact. */
export class Attempts {
  readonly #parts: AttemptsParts;
  /** What is added to the numbers of its attempts, so that they are those of its logs. */
  readonly numbers: LaterNumbers;

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
    const { kept, journal } = parts.run;
    this.numbers = kept?.numbers ?? attemptNumbers(journal).later;
  }

  /** Makes an attempt. Null while it is under way: then its flight has begun, and its end is told later. */
  make(step: StepState, attempt: number): AttemptEnd | null {
    const { ports } = this.#parts;
    const abort = new AbortController();
    const tried = this.#prepare(step, attempt, abort.signal);
    const times = stopwatch(ports);
    try {
      const outcome = callComponent(ports, tried);
      if (!(outcome instanceof Promise)) return this.#endOf(tried, outcome, times());
      this.#await(tried, { outcome, abort, times });
      return null;
    } catch (error) {
      return this.#failureOf(tried, error, times());
    }
  }

  #prepare(step: StepState, attempt: number, signal: AbortSignal): Attempt {
    const { run } = this.#parts;
    return {
      executionId: run.id,
      workflowId: run.workflowId,
      run,
      trigger: run.trigger,
      starts: [],
      step,
      attempt,
      scope: this.#parts.scope.in(step.frame),
      // A replay begins with facts of the execution that it replays.
      now: Math.max(step.openedAt ?? 0, run.startedAt),
      signal,
      model: this.#modelFor(step, attempt, signal),
    };
  }

  /** The model of a node that takes one; whoever listens to the run hears it speak. */
  #modelFor({ node, frame }: StepState, attempt: number, signal: AbortSignal): BoundModel | null {
    if (node.prompt === null) return null;
    const { ports, run } = this.#parts;
    const { askModel: ask, tokens } = ports;
    const key = { nodeId: node.nodeId, frame: frame.key };
    const shown = attempt + this.numbers.addedTo(key);
    const speaker = { ...key, workflowId: run.workflowId, executionId: run.id, attempt: shown };
    return new BoundModel({ ask, node, signal, listen: () => tokens(speaker) });
  }

  /** Lets an attempt take its time, up to its limit. */
  #await(tried: Attempt, under: { outcome: Promise<StepOutcome>; abort: AbortController; times: () => Times }): void {
    const { outcome, abort, times } = under;
    const { ports, flights } = this.#parts;
    const limit = timeoutOf(tried.step);
    const cancelTimer = ports.timers.after(limit, () => {
      const error = new StepError('step_timeout', `The step took longer than ${limit / 1000} s.`, { retryable: true });
      this.#settle(flight, () => this.#failureOf(tried, error, times()));
    });
    const flight: Flight = { tried, startedAt: ports.clock.now(), abort, cancelTimer };
    flights.begin(flight);
    outcome.then(
      (value) => this.#settle(flight, () => this.#endOf(tried, value, times())),
      // An attempt that was aborted has been settled before: this is never the end that counts.
      (error: unknown) => this.#settle(flight, () => this.#failureOf(tried, error, times())),
    );
  }

  /** An attempt ended: by itself, or by its time limit. What comes after that is ignored. */
  #settle(flight: Flight, end: () => AttemptEnd): void {
    if (this.#parts.flights.end(flight)) this.#parts.ended(end());
  }

  /** An outcome that makes no fact is its component's mistake, as an error that it throws is: the step fails, not the run. */
  #endOf(tried: Attempt, outcome: StepOutcome, times: Times): AttemptEnd {
    try {
      return { fact: ended(this.#parts.ports, tried, { outcome, ...times }), starts: tried.starts };
    } catch (error) {
      return this.#failureOf(tried, error, times);
    }
  }

  #failureOf(tried: Attempt, error: unknown, times: Times): AttemptEnd {
    return { fact: failed(this.#parts.ports, tried, { error, ...times }), starts: [] };
  }
}

/** Started now, it says when an attempt ended and how long that took. */
function stopwatch({ clock }: RunnerPorts): () => Times {
  const began = clock.monotonic();
  return () => ({
    at: clock.now(),
    // Microseconds are as fine as anyone reads, and keep the journal short.
    durationMs: Math.round((clock.monotonic() - began) * 1000) / 1000,
  });
}
