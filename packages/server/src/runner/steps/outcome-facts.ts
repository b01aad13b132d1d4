import {
  type CallsRequest,
  type Decision,
  ExpressionError,
  effectOf,
  type Fact,
  type Failure,
  type Instant,
  innerFrameKey,
  isArray,
  isObject,
  isRetried,
  type Pause,
  type PauseRequest,
  retryDelay,
  retryRule,
  StepError,
  type StepKey,
  type StepOutcome,
  type StepResult,
  type StepState,
  type StepUsage,
} from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';
import type { Attempt } from './attempt.ts';

/** When an attempt ended, and how long it took. */
export interface Times {
  readonly at: Instant;
  readonly durationMs: number;
}

/** The key of a fact's attempt. */
function of({ step, attempt }: Pick<Attempt, 'step' | 'attempt'>) {
  return { nodeId: step.node.nodeId, frame: step.frame.key, attempt };
}

/**
 * The fact of a successful attempt: that a loop starts its body, or that a step waits, or its outputs.
 * @throws TypeError if the component returned an invalid outcome
 */
export function ended(
  ports: RunnerPorts,
  attempt: Attempt,
  { outcome, ...times }: Times & { outcome: Exclude<StepOutcome, { readonly state: unknown }> },
): Fact {
  if ('pause' in outcome) return paused(ports, attempt, { request: outcome.pause, at: times.at });
  if ('calls' in outcome) return callsOpened(attempt, outcome, times.at);
  if ('iterate' in outcome) {
    if (!isArray(outcome.iterate.items)) throw new TypeError('the component returned a loop without items');
    return { kind: 'loop_started', ...of(attempt), at: times.at, ...outcome.iterate };
  }
  // The types forbid it, but an incorrect component must fail its step here, not the run in its fold.
  if (!isObject(outcome.outputs)) throw new TypeError('the component returned no outputs');
  return succeeded(attempt, outcome, times);
}

function callsOpened(attempt: Attempt, { calls, brief, concurrency = calls.length }: CallsRequest, at: Instant): Fact {
  // Without a call the step would be decided again and again.
  if (calls.length === 0) throw new TypeError('the component returned no calls');
  const isFirst = attempt.step.calls === null;
  const rest = { ...(isFirst && brief !== undefined && { brief }), concurrency: Math.max(1, concurrency), calls };
  return { kind: 'calls_opened', ...of(attempt), at, ...rest };
}

function paused(ports: RunnerPorts, attempt: Attempt, { request, at }: { request: PauseRequest; at: Instant }): Fact {
  const { node } = attempt.step;
  const seconds = node.policies.timeout_seconds ?? node.common.timeout ?? null;
  const limit = seconds === null ? null : at + seconds * 1000;
  const { attempt: number, ...key } = { ...of(attempt), stage: 'step' as const };
  const pause = pauseOf(ports, attempt, { request, limit });
  return { kind: 'step_paused', ...key, attempt: number, at, pause };
}

function pauseOf(
  ports: RunnerPorts,
  attempt: Attempt,
  { request, limit }: { readonly request: PauseRequest; readonly limit: Instant | null },
): Pause {
  switch (request.kind) {
    case 'timer':
      if (limit === null || request.until <= limit) return request;
      return { kind: 'timer', until: limit, isCutShort: true };
    case 'approval':
      return { ...request, until: limit };
    case 'child':
      return { ...request, until: limit, ...(isPublicCall(attempt, request.executionId) && { isPublicCall: true }) };
    case 'callback': {
      const { nodeId, frame } = of(attempt);
      const tokenHash = ports.links.callbackHash({ nodeId, frame, executionId: attempt.executionId });
      return { ...request, tokenHash, until: limit };
    }
  }
}

function isPublicCall({ starts }: Attempt, executionId: string): boolean {
  return starts.find(({ id }) => id === executionId)?.parent?.isPublicCall === true;
}

function succeeded(attempt: Attempt, result: StepResult, times: Times): Fact {
  return {
    kind: 'step_succeeded',
    ...of(attempt),
    ...times,
    outputs: result.outputs,
    ...(result.route !== undefined && { route: result.route }),
    ...(result.respond !== undefined && { respond: result.respond }),
    ...(result.metadata !== undefined && { metadata: result.metadata }),
    ...usageOf(attempt),
  };
}

/** The usage of an attempt's model calls so far, for its fact. */
export function usageOf({ model }: Attempt): { readonly usage?: StepUsage } {
  return model === null || model.usage.calls === 0 ? {} : { usage: model.usage };
}

/** The fact of a failed attempt, with the time of the next one if its error and its policy allow one. */
export function failed(ports: RunnerPorts, attempt: Attempt, outcome: { error: unknown } & Times): Fact {
  const { error, at, durationMs } = outcome;
  const failure = failureOf(ports, attempt, error);
  const delay = nextAttemptIn(attempt, { error, code: failure.code, random: () => ports.random() });
  return {
    kind: 'step_failed',
    ...of(attempt),
    at,
    durationMs,
    failure,
    ...causeIn(attempt.step, failure),
    ...(error instanceof StepError && Object.keys(error.metadata).length > 0 && { metadata: error.metadata }),
    retryAt: delay === null ? null : at + Math.max(delay, error instanceof StepError ? error.retryAfterMs : 0),
    ...usageOf(attempt),
  };
}

interface AttemptError {
  readonly error: unknown;
  readonly code: Failure['code'];
  readonly random: () => number;
}

/** Milliseconds until the next attempt, without the time that the error asks for; null if there is none. */
function nextAttemptIn({ step, attempt, evaluated }: Attempt, { error, code, random }: AttemptError): number | null {
  // An unexpected error may be temporary.
  const isTransient = error instanceof StepError ? error.retryable : true;
  // Another attempt would make all calls again.
  if (step.calls !== null) return wholeRetryDelay(step, { attempt, code, isTransient, random });
  const { policies, common, component } = step.node;
  const isRepeatable = component.isRepeatable?.(evaluated ?? common.extra_config);
  const effect = step.frame.call === null ? component.effect : effectOf(step);
  const rule = retryRule({ policies, common, effect, ...(isRepeatable === false && { isRepeatable }) });
  const isNotPerformed = error instanceof StepError && error.notPerformed;
  return isRetried(rule, { code, isTransient, isNotPerformed }) ? retryDelay(rule, attempt, random()) : null;
}

/** The call whose failure is that of its step: a retry of the run continues with it. */
function causeIn({ calls }: StepState, { code }: Failure): { readonly cause?: StepKey } {
  const index = (calls?.all.length ?? 0) - 1;
  const last = calls?.all[index];
  if (calls === null || last === undefined || 'rejected' in last.call || last.ended === null) return {};
  if (!('failure' in last.ended) || last.ended.failure.code !== code) return {};
  return { cause: { frame: innerFrameKey(calls.step, calls.attempt, index), nodeId: last.call.to } };
}

/** A decision of `advance` about a loop. */
type LoopDecision<Kind extends Decision['kind']> = Extract<Decision, { kind: Kind }>;

/** The fact of a loop whose items have all ended. */
export function loopEnded({ step, loop, outputs }: LoopDecision<'end_loop'>, at: Instant): Fact {
  return {
    kind: 'step_succeeded',
    ...of({ step, attempt: loop.attempt }),
    at,
    durationMs: at - loop.startedAt,
    outputs,
  };
}

/** The end of a loop, or of the calls of a step. */
interface WholeFailure extends Pick<LoopDecision<'fail_loop'>, 'step' | 'failure' | 'cause'> {
  readonly attempt: number;
  readonly startedAt: Instant;
}

/**
 * The fact of a loop, or of a step with calls, that failed as a whole. The steps in it were already retried: the whole
 * is retried only if its node has a policy. Whether a failure inside was transient is not recorded: only a timeout
 * counts as transient.
 */
export function wholeFailed(whole: WholeFailure, at: Instant, random: () => number): Fact {
  const { step, attempt, startedAt, failure, cause } = whole;
  const isTransient = failure.code === 'step_timeout';
  const delay = wholeRetryDelay(step, { attempt, code: failure.code, isTransient, random });
  const retryAt = delay === null ? null : at + delay;
  return {
    kind: 'step_failed',
    ...of({ step, attempt }),
    at,
    durationMs: at - startedAt,
    failure,
    ...(cause !== null && { cause }),
    retryAt,
  };
}

interface WholeAttempt extends Omit<AttemptError, 'error'> {
  readonly attempt: number;
  readonly isTransient: boolean;
}

/** Milliseconds until a whole starts again; null if it does not: only its own policy repeats everything in it. */
function wholeRetryDelay({ node }: StepState, { attempt, code, isTransient, random }: WholeAttempt): number | null {
  const { policies, common } = node;
  // `max_retries` of a node with a model is for its model calls.
  const own = node.callees.size === 0 ? common : { ...common, max_retries: null };
  const rule = retryRule({ policies, common: own, effect: 'once' });
  return isRetried(rule, { code, isTransient }) ? retryDelay(rule, attempt, random()) : null;
}

function failureOf(ports: RunnerPorts, attempt: Attempt, error: unknown): Failure {
  if (error instanceof StepError) return { code: error.code, message: error.message };
  if (error instanceof ExpressionError) return { code: 'expression', message: error.message };
  const { node } = attempt.step;
  ports.log.error({ err: error, executionId: attempt.executionId, nodeId: node.nodeId }, 'component crashed');
  return {
    code: 'step_crashed',
    message: `The component '${node.component.type}' failed unexpectedly; the service's log has the details.`,
  };
}
