import { textStart } from '../base/texts/own-text.ts';
import { type Pause, type PauseStage, parkedStatus } from '../component/pause.ts';
import { argumentsOf } from '../component/tools/calls.ts';
import type { ErrorCode } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Failure, RunFinished, StepKey, StepPaused } from './journal/history.ts';
import { position } from './position.ts';
import { incidentFailure, isQuarantined, type RunIncident } from './run-incident.ts';
import { type CallsState, type LoopState, onlyWaits, type RunState, type StepState } from './run-state.ts';

/** A decision about the next action in a run. */
export type Decision =
  /** Perform this attempt, not before `notBefore`. Remains a decision until a fact records the end of the attempt. */
  | { readonly kind: 'perform'; readonly step: StepState; readonly attempt: number; readonly notBefore: Instant | null }
  | { readonly kind: 'skip'; readonly step: StepState }
  /** All items of a loop have ended: the step succeeds with these outputs. */
  | { readonly kind: 'end_loop'; readonly step: StepState; readonly loop: LoopState; readonly outputs: JsonObject }
  /** A loop fails as a whole; `cause` is the step in its body whose failure caused this, if there is one. */
  | {
      readonly kind: 'fail_loop';
      readonly step: StepState;
      readonly loop: LoopState;
      readonly failure: Failure;
      readonly cause: StepKey | null;
    }
  /** The calls of a step fail it as a whole; `cause` is the call whose failure caused this, if there is one. */
  | {
      readonly kind: 'fail_calls';
      readonly step: StepState;
      readonly calls: CallsState;
      readonly failure: Failure;
      readonly cause: StepKey | null;
    }
  /** Request approval before the step begins, or after it has succeeded. */
  | { readonly kind: 'pause'; readonly step: StepState; readonly fact: Omit<StepPaused, 'at'> }
  /** Nothing to do but wait, at most until this time. */
  | { readonly kind: 'park'; readonly status: 'waiting' | 'interrupted'; readonly until: Instant | null }
  /** Nothing to do now, but the run keeps its owner: call `advance` again at this time at the latest. */
  | { readonly kind: 'wake'; readonly at: Instant }
  | { readonly kind: 'finish'; readonly result: Omit<RunFinished, 'kind' | 'at'> };

/** The input of `advance` besides the journal. */
export interface AdvanceContext {
  readonly cancelRequested: boolean;
  readonly now: Instant;
  /** The end of the run's time limit, without the time it spent waiting (`state.waitedMs`). */
  readonly deadline: Instant;
  /** Attempts that the run may make. */
  readonly maxSteps: number;
  /** The maximum total size of the outputs of its steps, in characters of JSON. */
  readonly maxSize: number;
  /** How often the process has crashed while it performed the run, since the run's last fact. */
  readonly crashCount: number;
  /** How the run itself has crashed or stalled the process; null if it has not. */
  readonly incident: RunIncident | null;
}

/**
 * Crashes without progress after which a run is considered their cause. The number is high because a healthy run that
 * is in progress at the same crashes must not fail.
 */
const maxCrashes = 10;

/** The default limit of attempts: more than a realistic run needs, and a bound for runs with huge loops. */
export const defaultMaxSteps = 10_000;

/** The default limit of a run's output: more than a run needs, and small compared with a machine's memory. */
export const defaultMaxRunSize = 64 * 1_048_576;

/**
 * The decision function of the engine: derives the next decisions from `state`, the fold of a run's journal. Pure; the
 * runner performs the decisions and appends the resulting facts.
 */
export function advance(state: RunState, context: AdvanceContext): readonly Decision[] {
  if (state.finished !== null) return [];
  const stop = reasonToStop(state, context);
  if (stop !== null) return [stop];
  if (onlyWaits(state)) return wait(state, context.now);
  if (state.open.size + state.timed.size === 0) return [finish('completed', { output: finalOutput(state) })];
  const decisions = [...state.open].map(decideStep);
  const times = [...state.timed].map((loop) => decideTime(loop, context.now));
  if ([...decisions, ...times].every((decision) => isFarOff(decision, context.now)))
    return [parkUntilDue(state, [...decisions, ...times])];
  if (decisions.length > 1) decisions.sort(inStartOrder);
  return [...decisions, ...times];
}

/** Whether the decision is due so far in the future that the run is parked until then. */
function isFarOff(decision: Decision, now: Instant): boolean {
  return timeOf(decision) > now + shortWaitMs;
}

function timeOf(decision: Decision): Instant {
  if (decision.kind === 'wake') return decision.at;
  return decision.kind === 'perform' ? (decision.notBefore ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
}

/** Parks a run whose next decisions are all far in the future. */
function parkUntilDue(state: RunState, later: readonly Decision[]): Decision {
  return { kind: 'park', status: parkedStatus(pausesOf(state)), until: Math.min(...later.map(timeOf)) };
}

function pausesOf({ paused }: RunState): readonly Pause[] {
  return [...paused].flatMap(({ pause }) => (pause === null ? [] : [pause.pause]));
}

/** Whether the next decision about the step is an attempt, rather than a skip, an approval or the end of a loop. */
function isToPerform(step: StepState): boolean {
  return decideStep(step).kind === 'perform';
}

function decideStep(step: StepState): Decision {
  if (step.phase === 'skipping') return { kind: 'skip', step };
  if (step.phase === 'held') return ask(step, 'after');
  const { loop, calls } = step;
  if (calls !== null && calls.failure !== null)
    return { kind: 'fail_calls', step, calls, failure: calls.failure, cause: calls.cause };
  if (loop === null && step.node.interruptBefore && !step.isAgreed) return ask(step, 'before');
  if (loop === null) return { kind: 'perform', step, attempt: step.attempts + 1, notBefore: step.retryAt };
  if (loop.failure !== null) return { kind: 'fail_loop', step, loop, failure: loop.failure, cause: loop.cause };
  const errors = loop.errors.toSorted((a, b) => a.index - b.index);
  return { kind: 'end_loop', step, loop, outputs: { results: loop.results, errors } };
}

const questions: Readonly<Record<Exclude<PauseStage, 'step'>, (nodeId: string) => string>> = {
  before: (nodeId) => `Run node '${nodeId}'?`,
  after: (nodeId) => `Node '${nodeId}' has run. Continue?`,
};

function ask(step: StepState, stage: 'before' | 'after'): Decision {
  const { node, frame, attempts: attempt } = step;
  const { nodeId } = node;
  const pause = {
    kind: 'approval',
    prompt: questionOf(step, stage),
    fallback: false,
    until: askedUntil(step, stage),
  } as const;
  return { kind: 'pause', step, fact: { kind: 'step_paused', nodeId, frame: frame.key, stage, attempt, pause } };
}

/** For a call, the question names the tool and its arguments. */
function questionOf(step: StepState, stage: 'before' | 'after'): string {
  const { call } = step.frame;
  if (call === null || stage === 'after') return questions[stage](step.node.nodeId);
  const made = call.of.all[call.index]?.call;
  if (made !== undefined && !('rejected' in made) && made.asks?.question !== undefined) return made.asks.question;
  const args = JSON.stringify(argumentsOf(call.of.all, call.index));
  const shown = args.length > maxShownArguments ? `${textStart(args, maxShownArguments)}…` : args;
  return `Run tool '${made?.tool ?? step.node.nodeId}' with ${shown}?`;
}

/** A call may have to be approved within a time. */
function askedUntil({ frame: { call }, openedAt }: StepState, stage: 'before' | 'after'): Instant | null {
  const made = call?.of.all[call.index]?.call;
  if (stage === 'after' || made === undefined || 'rejected' in made) return null;
  const seconds = made.asks?.seconds ?? null;
  return seconds === null || openedAt === null ? null : openedAt + seconds * 1000;
}

/** Characters of arguments in a question: as many as a person reads before an answer. */
const maxShownArguments = 4096;

/** Milliseconds for which a waiting run stays with its owner: parking and resuming it costs two writes. */
const shortWaitMs = 5000;

/**
 * Decides for a run that only waits: fails loops and calls whose deadline has passed; otherwise keeps the run for a short wait,
 * or parks it.
 */
function wait(state: RunState, now: Instant): readonly Decision[] {
  const times = [...state.timed].map((loop) => decideTime(loop, now));
  const over = times.filter(({ kind }) => kind !== 'wake');
  if (over.length > 0) return over;
  const until = Math.min(...times.map((time) => (time.kind === 'wake' ? time.at : Number.POSITIVE_INFINITY)));
  const pauses = pausesOf(state);
  const due = Math.min(...pauses.map((pause) => (pause.kind === 'timer' ? pause.until : Number.POSITIVE_INFINITY)));
  // A short wait is not worth parking. If its answer is still missing `shortWaitMs` after the due time, the run is
  // parked.
  if (Math.abs(due - now) <= shortWaitMs) return [{ kind: 'wake', at: Math.min(until, due + shortWaitMs + 1) }];
  return [{ kind: 'park', status: parkedStatus(pauses), until: Number.isFinite(until) ? until : null }];
}

function decideTime(timed: LoopState | CallsState, now: Instant): Decision {
  const { step, startedAt, deadline } = timed;
  if (deadline === null || now < deadline) return { kind: 'wake', at: deadline ?? Number.POSITIVE_INFINITY };
  const isLoop = 'items' in timed;
  const message = `The ${isLoop ? 'loop' : 'step'} took longer than ${(deadline - startedAt) / 1000} s.`;
  const failed = { step, failure: { code: 'step_timeout', message }, cause: null } as const;
  return isLoop ? { kind: 'fail_loop', loop: timed, ...failed } : { kind: 'fail_calls', calls: timed, ...failed };
}

function reasonToStop(state: RunState, context: AdvanceContext): Decision | null {
  if (context.cancelRequested) return failed('cancelled', 'run_cancelled', 'The execution was cancelled.');
  if (state.declined !== null) {
    const { nodeId, by } = state.declined;
    const message = `The execution was declined at node '${nodeId}'${by === null ? '' : ` by ${by}`}.`;
    return finish('cancelled', { failure: { code: 'run_cancelled', message }, nodeId });
  }
  if (state.failure !== null) {
    const { failure, nodeId } = state.failure;
    const message = `Node '${nodeId}' failed: ${failure.message}`;
    return finish('failed', { failure: { code: failure.code, message }, nodeId });
  }
  const isTimeUp = (onlyWaits(state) ? (state.at ?? 0) : context.now) >= context.deadline + state.waitedMs;
  if (isTimeUp && !needsNoTime(state)) {
    const { sentence, nodeId } = position(state);
    const message = `The execution took longer than max_execution_seconds allows. ${sentence}`;
    return finish('failed', { failure: { code: 'run_timeout', message }, nodeId });
  }
  if (isQuarantined(context.incident)) return finish('failed', incidentFailure(context.incident, state));
  if (context.crashCount >= maxCrashes) {
    const { sentence, nodeId } = position(state);
    const message = `The service crashed ${context.crashCount} times in a row during the execution, which made no progress in between. ${sentence} Its steps may need more memory than the service has.`;
    return finish('failed', { failure: { code: 'run_lost', message }, nodeId });
  }
  if (state.stepCount >= context.maxSteps && [...state.open].some(isToPerform)) {
    return failed(
      'failed',
      'run_steps',
      `The execution reached the limit of ${context.maxSteps} step attempts (MILLRACE_MAX_STEPS).`,
    );
  }
  if (state.size > context.maxSize) return finish('failed', { failure: sizeFailure(context.maxSize) });
  return null;
}

/**
 * Characters of JSON in the outputs of one step: the largest HTTP response fits. More would take longer to write and to
 * read in one piece than others can wait.
 */
export const maxOutputs = 16 * 1_048_576;

/** Why a step fails whose outputs have this size; null if it does not. */
export function outputFailure(size: number): Failure | null {
  if (size <= maxOutputs) return null;
  const message = `The outputs of the step exceed the limit of ${maxOutputs} characters of JSON: split its work, or output less of its data.`;
  return { code: 'output_bytes', message };
}

/** Why a run fails whose outputs are too large. */
export function sizeFailure(maxSize: number): Failure {
  const message = `The outputs of the steps exceed the limit of ${maxSize} characters of JSON (MILLRACE_MAX_RUN_BYTES).`;
  return { code: 'run_bytes', message };
}

/**
 * Whether only decisions without work remain: a run that finished all its attempts in time does not fail by its time
 * limit.
 */
function needsNoTime({ open, paused }: RunState): boolean {
  return paused.size === 0 && [...open].every((step) => timeless.has(decideStep(step).kind));
}

const timeless: ReadonlySet<Decision['kind']> = new Set(['skip', 'end_loop']);

function failed(status: 'failed' | 'cancelled', code: ErrorCode, message: string): Decision {
  return finish(status, { failure: { code, message } });
}

function finish(status: RunFinished['status'], result: Partial<RunFinished>): Decision {
  return { kind: 'finish', result: { status, output: null, failure: null, nodeId: null, ...result } };
}

/**
 * Orders decisions by the priority, then the id, of the edge into the node. The trigger has no such edge, but no other
 * step is ready before it.
 */
function inStartOrder(a: Decision, b: Decision): number {
  if (!('step' in a) || !('step' in b)) return 0;
  const left = a.step.inputEdges[0] ?? a.step.node.incoming[0];
  const right = b.step.inputEdges[0] ?? b.step.node.incoming[0];
  if (left === undefined || right === undefined) return 0;
  return right.priority - left.priority || left.id - right.id;
}

/**
 * The body of the first respond node. Without one, the value of the last node; if there are several last nodes, an
 * object of their values by node id.
 */
function finalOutput(state: RunState): Json {
  if (state.respond !== null) return state.respond.body;
  const last = [...state.root.steps.values()].filter(
    (step) => (step.phase === 'succeeded' || step.phase === 'failed') && step.taking === 0,
  );
  if (last.length === 1) return last[0]?.value ?? null;
  return Object.fromEntries(last.map((step) => [step.node.nodeId, step.value]));
}
