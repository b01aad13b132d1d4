import {
  type Decision,
  ExpressionError,
  type Fact,
  type Failure,
  type Instant,
  inputOf,
  isArray,
  isObject,
  isRetried,
  type Json,
  type JsonObject,
  type ModelUsage,
  own,
  type Pause,
  type PauseRequest,
  retryDelay,
  retryRule,
  runThrough,
  type SlicedWork,
  type Step,
  StepError,
  type StepOutcome,
  type StepResult,
  type StepState,
  switchType,
} from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';
import type { Attempt } from './attempt.ts';
import { Context, checkSubComponents } from './context.ts';
import { resolveFor } from './resolve-for.ts';

/** Seconds for one attempt if neither the node nor its config sets a limit: longer than a slow model needs. */
const defaultTimeoutSeconds = 300;

/** The time limit of this attempt, in milliseconds. */
export function timeoutOf({ node }: StepState): number {
  return (node.policies.timeout_seconds ?? node.common.timeout ?? defaultTimeoutSeconds) * 1000;
}

/** The node's pinned output, which replaces its own in manual runs; otherwise undefined. */
export function pinnedOutput(
  { node }: StepState,
  { isManual }: { readonly isManual: boolean },
): JsonObject | undefined {
  return isManual ? node.policies.pinned_output : undefined;
}

function pinnedResult({ step, trigger }: Attempt, pinned: JsonObject): StepResult {
  const route = own(pinned, 'route');
  // A switch passes its input on, also if only its route is pinned.
  const outputs =
    step.node.component.type === switchType ? { output: runThrough(inputOf(step, trigger)), ...pinned } : pinned;
  return { outputs, metadata: { pinned: true }, ...(typeof route === 'string' && { route }) };
}

/** Calls the component. Nothing else does. Throws what the component throws. */
export function callComponent(ports: RunnerPorts, attempt: Attempt): StepOutcome | Promise<StepOutcome> {
  const { step } = attempt;
  const { component } = step.node;
  const pinned = pinnedOutput(step, attempt.run);
  if (pinned !== undefined) return pinnedResult(attempt, pinned);
  if (component.run === undefined) throw new StepError('config', `'${component.type}' is not a step.`);
  const ctx = new Context(ports, attempt);
  if (step.resumed !== null) return resume(attempt, step.resumed, ctx);
  checkSubComponents(attempt);
  const run = component.run as (step: Step<Json>) => StepOutcome | Promise<StepOutcome>;
  return after(ctx, stepOf(ports, attempt, ctx), run);
}

/** The step as its component gets it. */
function* stepOf(ports: RunnerPorts, attempt: Attempt, ctx: Context): SlicedWork<Step<Json>> {
  const { step, trigger, meter } = attempt;
  const { component, config } = step.node;
  const resolved = yield* resolveFor(ports, attempt, { config, component });
  return { input: yield* inputOf(step, trigger, meter), config: resolved, ctx };
}

/** Acts when the work before is done, which may take several turns. */
function after<Found>(
  { inSlices, meter }: Context,
  work: SlicedWork<Found>,
  act: (found: Found) => StepOutcome | Promise<StepOutcome>,
): StepOutcome | Promise<StepOutcome> {
  const found = inSlices(work);
  const metered = (value: Found): StepOutcome | Promise<StepOutcome> => {
    meter.beginSlice();
    const outcome = act(value);
    meter.endSlice();
    return outcome;
  };
  return found instanceof Promise ? found.then(metered) : metered(found);
}

/** The result of an attempt that paused and has been answered. */
function resume({ step, trigger, meter }: Attempt, resumed: Resumed, ctx: Context): StepOutcome | Promise<StepOutcome> {
  const { resume: goOn, type } = step.node.component;
  // A component that can pause must have `resume`: otherwise it is an error of its author.
  if (goOn === undefined) throw new Error(`'${type}' paused and has no resume`);
  return after(ctx, inputOf(step, trigger, meter), (input) => goOn({ input, ...shown(resumed) }));
}

type Resumed = NonNullable<StepState['resumed']>;

/** Without the reason why an execution of another owner's workflow failed: it may contain data of that workflow. */
function shown(resumed: Resumed): Resumed {
  const { pause, answer } = resumed;
  if (pause.kind !== 'child' || pause.isPublicCall !== true || answer.kind !== 'end') return resumed;
  return { ...resumed, answer: { ...answer, error: null } };
}

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
  if ('iterate' in outcome) {
    if (!isArray(outcome.iterate.items)) throw new TypeError('the component returned a loop without items');
    return { kind: 'loop_started', ...of(attempt), at: times.at, ...outcome.iterate };
  }
  // The types forbid it, but an incorrect component must fail its step here, not the run in its fold.
  if (!isObject(outcome.outputs)) throw new TypeError('the component returned no outputs');
  return succeeded(attempt, outcome, times);
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
export function usageOf({ model }: Attempt): { readonly usage?: ModelUsage } {
  return model === null || model.usage.calls === 0 ? {} : { usage: model.usage };
}

/** The fact of a failed attempt, with the time of the next one if its error and its policy allow one. */
export function failed(ports: RunnerPorts, attempt: Attempt, outcome: { error: unknown } & Times): Fact {
  const { error, at, durationMs } = outcome;
  const { node } = attempt.step;
  const { policies, common, component } = node;
  const isRepeatable = component.isRepeatable?.(common.extra_config);
  const rule = retryRule({
    policies,
    common,
    effect: component.effect,
    ...(isRepeatable === false && { isRepeatable }),
  });
  const failure = failureOf(ports, attempt, error);
  // An unexpected error may be temporary.
  const isTransient = error instanceof StepError ? error.retryable : true;
  const isNotPerformed = error instanceof StepError && error.notPerformed;
  const mayRetry = isRetried(rule, { code: failure.code, isTransient, isNotPerformed });
  const delay = mayRetry ? retryDelay(rule, attempt.attempt, ports.random()) : null;
  return {
    kind: 'step_failed',
    ...of(attempt),
    at,
    durationMs,
    failure,
    ...(error instanceof StepError && Object.keys(error.metadata).length > 0 && { metadata: error.metadata }),
    retryAt: delay === null ? null : at + Math.max(delay, error instanceof StepError ? error.retryAfterMs : 0),
    ...usageOf(attempt),
  };
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

/**
 * The fact of a loop that failed as a whole. The steps of its body were already retried: the loop itself is retried
 * only if its node has a policy. Whether an item's failure was transient is not recorded: only a timeout counts as
 * transient.
 */
export function loopFailed(
  { step, loop, failure, cause }: LoopDecision<'fail_loop'>,
  at: Instant,
  random: number,
): Fact {
  const { policies, common } = step.node;
  const rule = retryRule({ policies, common, effect: 'once' });
  const mayRetry = isRetried(rule, { code: failure.code, isTransient: failure.code === 'step_timeout' });
  const delay = mayRetry ? retryDelay(rule, loop.attempt, random) : null;
  const retryAt = delay === null ? null : at + delay;
  return {
    kind: 'step_failed',
    ...of({ step, attempt: loop.attempt }),
    at,
    durationMs: at - loop.startedAt,
    failure,
    ...(cause !== null && { cause }),
    retryAt,
  };
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
