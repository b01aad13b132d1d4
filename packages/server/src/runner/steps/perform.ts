import {
  type CallsState,
  endedCalls,
  type FrameState,
  inputOf,
  isObject,
  type Json,
  type JsonObject,
  own,
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
import { callModel, toolStepOf } from './perform-call.ts';
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
  const ctx = new Context(ports, attempt);
  if (step.resumed !== null) return resume(attempt, step.resumed, ctx);
  if (step.calls !== null) return proceed(attempt, step.calls, ctx);
  if (step.frame.call !== null) return performCall(ports, attempt, { call: step.frame.call, ctx });
  if (component.run === undefined) throw new StepError('config', `'${component.type}' is not a step.`);
  checkSubComponents(attempt);
  const run = component.run as (step: Step<Json>) => StepOutcome | Promise<StepOutcome>;
  return after(ctx, stepOf(ports, attempt, ctx), run);
}

/** A call of the model, or of a tool. */
function performCall(
  ports: RunnerPorts,
  attempt: Attempt,
  { call, ctx }: { readonly call: NonNullable<FrameState['call']>; readonly ctx: Context },
): StepOutcome | Promise<StepOutcome> {
  const { component } = attempt.step.node;
  const act = component.call ?? component.run;
  if (act === undefined) return callModel(ports, attempt, call);
  const run = act as (step: Step<Json>) => StepOutcome | Promise<StepOutcome>;
  return after(ctx, toolStepOf(ports, attempt, ctx), run);
}

/** The step as its component gets it. */
function* stepOf(ports: RunnerPorts, attempt: Attempt, ctx: Context): SlicedWork<Step<Json>> {
  const { step, trigger, meter } = attempt;
  const { component, config } = step.node;
  const resolved = yield* resolveFor(ports, attempt, { config, component });
  attempt.evaluated = isObject(resolved) ? resolved : null;
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

/** What follows from the calls of an attempt, which have all ended. */
function proceed({ step }: Attempt, { brief, all }: CallsState, ctx: Context): StepOutcome | Promise<StepOutcome> {
  const { proceed: goOn, type } = step.node.component;
  // A component that calls must have `proceed`: otherwise it is an error of its author.
  if (goOn === undefined) throw new Error(`'${type}' made calls and has no proceed`);
  return goOn({ brief, calls: endedCalls(all), ctx });
}

type Resumed = NonNullable<StepState['resumed']>;

/** Without the reason why an execution of another owner's workflow failed: it may contain data of that workflow. */
function shown(resumed: Resumed): Resumed {
  const { pause, answer } = resumed;
  if (pause.kind !== 'child' || pause.isPublicCall !== true || answer.kind !== 'end') return resumed;
  return { ...resumed, answer: { ...answer, error: null } };
}
