import {
  type Fact,
  type Instant,
  type JsonObject,
  type LaterNumbers,
  Meter,
  type RunScope,
  type SlicedWork,
  type StateRequest,
  StepError,
  type StepOutcome,
  type StepState,
} from '@millrace/core';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import { holdNothing } from '../budgets.ts';
import type { Outside, RunnerPorts } from '../ports.ts';
import { continued } from '../work-record.ts';
import { type Attempt, workOf } from './attempt.ts';
import { BoundModel } from './bound-model.ts';
import { ended, failed, type Times } from './outcome-facts.ts';
import { callComponent, timeoutOf } from './perform.ts';
import type { RunningAttempt, RunningAttempts } from './running-attempts.ts';
import { inSlices } from './slices.ts';

/** An attempt whose outputs depend on a stored value, which only the transaction that stores its fact reads. */
export interface StateAttempt {
  readonly request: StateRequest;
  readonly at: Instant;
  readonly succeeded: (outputs: JsonObject) => AttemptEnd;
  readonly failed: (error: StepError) => AttemptEnd;
}

/** How an attempt ended, and the executions that start with it. */
export interface AttemptEnd {
  readonly fact: Fact;
  readonly starts: readonly NewExecution[];
}

interface AttemptsParts {
  readonly ports: RunnerPorts;
  readonly run: ClaimedRun;
  readonly scope: RunScope;
  readonly running: RunningAttempts;
  /** The offsets that turn its attempt numbers into those that its log shows. */
  readonly numbers: LaterNumbers;
  /** Called at the end of each asynchronous attempt. */
  readonly ended: (end: AttemptEnd | StateAttempt) => void;
}

/** Makes the attempts of one run: calls the component, and turns every outcome into a fact. */
export class Attempts {
  readonly #parts: AttemptsParts;
  constructor(parts: AttemptsParts) {
    this.#parts = parts;
  }

  /** Makes an attempt. Null if it runs asynchronously: then `ended` is called at its end. */
  make(step: StepState, number: number): AttemptEnd | StateAttempt | null {
    const { ports } = this.#parts;
    const abort = new AbortController();
    const attempt = this.#prepare(step, number, abort.signal);
    return ports.work.perform(workOf(attempt), () => this.#call(attempt, abort));
  }

  #call(attempt: Attempt, abort: AbortController): AttemptEnd | StateAttempt | null {
    const { ports } = this.#parts;
    const times = stopwatch(ports);
    try {
      const outcome = callComponent(ports, attempt);
      if (!(outcome instanceof Promise)) return this.#endOf(attempt, outcome, times());
      attempt.meter.endSlice();
      this.#await(attempt, { outcome, abort, times });
      return null;
    } catch (error) {
      return this.#failureOf(attempt, error, times());
    }
  }

  #prepare(step: StepState, number: number, signal: AbortSignal): Attempt {
    const { run } = this.#parts;
    const meter = new Meter(this.#parts.ports.clock.monotonic);
    const outside = this.#outsideOf(step, number, { signal, meter });
    return {
      executionId: run.id,
      workflowId: run.workflowId,
      run,
      outside,
      trigger: run.trigger,
      starts: [],
      placeholders: new Map(),
      evaluated: null,
      step,
      attempt: number,
      scope: this.#parts.scope.in(step.frame),
      // A replay begins with facts of the execution that it replays.
      now: Math.max(step.openedAt ?? 0, run.startedAt),
      signal,
      meter,
      model: this.#modelFor(step, number, { signal, meter, outside }),
    };
  }

  #outsideOf(
    { node, frame }: StepState,
    number: number,
    limits: { readonly signal: AbortSignal; readonly meter: Meter },
  ): Outside {
    const { ports, run, numbers } = this.#parts;
    const { recording = null } = run;
    if (recording === null) return ports;
    const key = { nodeId: node.nodeId, frame: frame.key };
    const { turns, work } = ports;
    const current = workOf({ executionId: run.id, step: { node } });
    return ports.recorded(ports, {
      run,
      recording,
      ...key,
      attempt: number + numbers.addedTo(key),
      meter: limits.meter,
      inSlices: (long) => inSlices(long, { turns, work, current, ...limits }),
    });
  }

  /** The model for a node that uses one. Subscribers of the run receive its text as it is generated. */
  #modelFor(
    step: StepState,
    number: number,
    { outside, ...limits }: { readonly signal: AbortSignal; readonly meter: Meter; readonly outside: Outside },
  ): BoundModel | null {
    // A model is called for the step that calls it.
    const isCalled = step.frame.call !== null && step.node.component.outputs.some(({ dataType }) => dataType === 'llm');
    const { node, frame } = isCalled ? step.frame.call.of.step : step;
    if (node.prompt === null) return null;
    const { ports, run } = this.#parts;
    const { budgets, tokens, work, turns } = ports;
    const key = { nodeId: node.nodeId, frame: frame.key };
    const current = workOf({ executionId: run.id, step: { node } });
    const caller = {
      ...limits,
      inSlices: <Result>(long: SlicedWork<Result>) => inSlices(long, { turns, work, current, ...limits }),
      continued: <Result>(operation: Promise<Result>) => continued(work, current, operation),
      perform: <Result>(act: () => Result) => work.perform(current, act),
    };
    // Recorded answers cost nothing.
    const isFree = run.recording?.isReplayed === true;
    const shown = number + this.#parts.numbers.addedTo(key);
    const call = isCalled ? { call: step.frame.call.index } : {};
    const speaker = { ...key, workflowId: run.workflowId, executionId: run.id, attempt: shown, ...call };
    return new BoundModel({
      ask: (request, listen) => caller.continued(outside.askModel(request, { ...caller, listen })),
      hold: (estimate) => caller.continued(isFree ? holdNothing() : budgets.hold(run.workflowId, estimate)),
      node,
      listen: () => tokens(speaker),
    });
  }

  /** Awaits an asynchronous attempt, up to its time limit. */
  #await(attempt: Attempt, under: { outcome: Promise<StepOutcome>; abort: AbortController; times: () => Times }): void {
    const { outcome, abort, times } = under;
    const { ports, running } = this.#parts;
    const limit = timeoutOf(attempt.step);
    const cancelTimer = ports.timers.after(limit, () => {
      const error = new StepError('step_timeout', `The step took longer than ${limit / 1000} s.`, { retryable: true });
      this.#settle(started, () => this.#failureOf(attempt, error, times()));
    });
    const started: RunningAttempt = { attempt, startedAt: ports.clock.now(), abort, cancelTimer };
    running.begin(started);
    outcome.then(
      (value) => this.#settle(started, () => this.#endOf(attempt, value, times())),
      // An aborted attempt was settled before, so this end is ignored.
      (error: unknown) => this.#settle(started, () => this.#failureOf(attempt, error, times())),
    );
  }

  /** An attempt ended: by itself, or at its time limit. A second end is ignored. */
  #settle(started: RunningAttempt, end: () => AttemptEnd | StateAttempt): void {
    if (this.#parts.running.end(started)) this.#parts.ended(end());
  }

  /** An invalid outcome is an error of the component, like one that it throws: the step fails, not the run. */
  #endOf(attempt: Attempt, outcome: StepOutcome, times: Times): AttemptEnd | StateAttempt {
    try {
      if ('state' in outcome) return this.#stateAttempt(attempt, outcome.state, times);
      return { fact: ended(this.#parts.ports, attempt, { outcome, ...times }), starts: attempt.starts };
    } catch (error) {
      return this.#failureOf(attempt, error, times);
    }
  }

  #stateAttempt(attempt: Attempt, request: StateRequest, times: Times): StateAttempt {
    const { ports } = this.#parts;
    return {
      request,
      at: times.at,
      succeeded: (outputs) => ({
        fact: ended(ports, attempt, { outcome: { outputs }, ...times }),
        starts: attempt.starts,
      }),
      failed: (error) => this.#failureOf(attempt, error, times),
    };
  }

  #failureOf(attempt: Attempt, error: unknown, times: Times): AttemptEnd {
    return { fact: failed(this.#parts.ports, attempt, { error, ...times }), starts: [] };
  }
}

/** Starts now; returns when an attempt ended and how long it took. */
function stopwatch({ clock }: RunnerPorts): () => Times {
  const began = clock.monotonic();
  return () => ({
    at: clock.now(),
    // Microseconds are precise enough for readers, and keep the journal short.
    durationMs: Math.round((clock.monotonic() - began) * 1000) / 1000,
  });
}
