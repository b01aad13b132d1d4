import type { HttpAnswer, Iteration } from '../component/component.ts';
import {
  type Pause,
  type PauseAnswer,
  type PauseKey,
  type PauseStage,
  pauseAfterSetClock,
} from '../component/pause.ts';
import type { Call, CallEnd } from '../component/tools/calls.ts';
import type { Effect } from '../component/tools/effect.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { EventCall } from './events.ts';
import type { Failure, RunFinished, StepKey, StepSucceeded } from './journal/history.ts';
import type { Plan, PlanEdge, PlanNode } from './plan.ts';

/**
 * The phase of a node in its frame. `ready` includes a step in progress: only facts change the phase. A loop is
 * `looping` while its frames are in progress, and `ending` after they have ended. A step is `calling` while its calls
 * are in progress, and `ready` after they have ended. A step that succeeded is `held` until the approval after it is
 * requested.
 */
export type Phase =
  | 'waiting'
  | 'ready'
  | 'retrying'
  | 'paused'
  | 'held'
  | 'looping'
  | 'calling'
  | 'ending'
  | 'succeeded'
  | 'failed'
  | 'skipping'
  | 'skipped';

/** One node in one frame: the unit of decisions and of execution. */
export interface StepState {
  readonly node: PlanNode;
  readonly frame: FrameState;
  phase: Phase;
  /** Incoming edges decided so far. */
  readonly taken: PlanEdge[];
  dead: number;
  /** The edges whose values form the input: those taken when the join was met. */
  inputEdges: readonly PlanEdge[];
  /** The number of attempts that have ended. */
  attempts: number;
  /** The last attempt that recorded that it is about to act. */
  started: number;
  /** Whether that attempt was in progress when the run or the iteration ended, before the retry. */
  wasStopped: boolean;
  retryAt: Instant | null;
  /** The earliest start of its next attempt; null for the trigger until it has failed. */
  since: Instant | null;
  /**
   * The time from which it could first begin according to the journal: the same for all its attempts. Null for the
   * trigger.
   */
  openedAt: Instant | null;
  /** The value of its first output after it has succeeded (or failed with `on_error: continue`). */
  value: Json;
  /** How many of its outgoing edges were taken. */
  taking: number;
  /** The state of its iterations while it is a running loop. */
  loop: LoopState | null;
  /** The calls of its current attempt, if it makes any. */
  calls: CallsState | null;
  /** The event that it waits for while it is paused. */
  pause: { readonly stage: PauseStage; readonly pause: Pause } | null;
  /** The event that its attempt waited for, once it has arrived: the attempt continues with it. */
  resumed: { readonly pause: Pause; readonly answer: PauseAnswer } | null;
  /** Whether its `interrupt_before` has been approved. */
  isAgreed: boolean;
  /** Its success while it is held. */
  held: StepSucceeded | null;
}

/**
 * The run itself, one iteration of a loop, or one call of a step: its nodes run once in it. The frame of an iteration or
 * a call is removed at its end.
 */
export interface FrameState {
  /** The name in facts. */
  readonly key: string;
  /** Null unless it is an iteration of a loop. */
  readonly iteration: { readonly loop: LoopState; readonly index: number } | null;
  /** Null unless it is a call. */
  readonly call: { readonly of: CallsState; readonly index: number } | null;
  readonly steps: ReadonlyMap<string, StepState>;
  /** The ports of each finished node: `nodes` in expressions. Grows as the frame progresses. */
  readonly outputs: { [nodeId: string]: JsonObject };
  /** The number of steps that are neither waiting for their edges nor ended. */
  open: number;
  /** The taken edges back to the loop. */
  readonly returned: PlanEdge[];
}

/** A failed item of a loop, as an entry of `errors`. */
export interface ItemError extends JsonObject {
  readonly index: number;
  readonly item: Json;
  readonly node_id: string;
  readonly error: string;
  readonly error_code: string;
}

/** A loop in progress. */
export interface LoopState extends Iteration {
  readonly step: StepState;
  readonly attempt: number;
  startedAt: Instant;
  /** The end of its time limit, if its node has one. */
  deadline: Instant | null;
  /** The number of items that have been started. */
  begun: number;
  readonly frames: Set<FrameState>;
  /** In the order of the items; null for an item without a returned value. */
  readonly results: Json[];
  readonly errors: ItemError[];
  /** The reason why the whole loop fails, and the step in its body that caused it. */
  failure: Failure | null;
  cause: StepKey | null;
}

/** One of the calls of a step. */
export interface CallState {
  readonly call: Call;
  /** Null until it has ended. */
  ended: CallEnd | null;
}

/** The calls of a step, in the order in which they were decided. */
export interface CallsState {
  readonly step: StepState;
  readonly attempt: number;
  startedAt: Instant;
  /** The end of the attempt's time limit, if its node has one. */
  deadline: Instant | null;
  /** What the step recorded before its first call. */
  readonly brief: JsonObject;
  readonly all: CallState[];
  /** The number of calls that have been opened or were rejected. */
  begun: number;
  /** The most calls in progress at once. */
  concurrency: number;
  readonly frames: Set<FrameState>;
  /** The reason why the step fails without a further decision, and the call that caused it. */
  failure: Failure | null;
  cause: StepKey | null;
}

/** The fold of a run's journal. Only `newRunState` and `applyFact` build it; `followSetClock` shifts its times. */
export interface RunState {
  readonly plan: Plan;
  /** The start of its time limit. */
  startedAt: Instant;
  readonly root: FrameState;
  /** The frames of loops and calls in progress, by their keys. */
  readonly frames: Map<string, FrameState>;
  /** Steps that need a decision, in the order in which they were added. */
  readonly open: Set<StepState>;
  /** The loops in progress that have a time limit, and the calls of steps that have one. */
  readonly timed: Set<LoopState | CallsState>;
  /** Steps that wait for an external event. */
  readonly paused: Set<StepState>;
  /** Waits that are obsolete because their iteration has ended. The code that stores the facts removes them. */
  readonly abandoned: PauseKey[];
  /** The person who answered no to an approval, which ends the run. */
  declined: { readonly nodeId: string; readonly by: string | null } | null;
  /** The failure that ends the run, and its node. */
  failure: { readonly nodeId: string; readonly failure: Failure } | null;
  /** The answer of the first respond node that was performed. */
  respond: HttpAnswer | null;
  /** The time of the last fact. */
  at: Instant | null;
  /** The time until the last fact in which the run only waited, which does not count towards its limit. */
  waitedMs: number;
  /** Attempts performed, for the limit of steps. */
  stepCount: number;
  /** The approximate size of all outputs as characters of JSON, including the items of loops, for the limit of size. */
  size: number;
  finished: RunFinished | null;
}

/** A run before its first fact: only the trigger is ready. */
export function newRunState(plan: Plan, startedAt: Instant = 0): RunState {
  const root = newFrame('', plan.root);
  const state: RunState = {
    plan,
    startedAt,
    root,
    frames: new Map(),
    open: new Set(),
    timed: new Set(),
    paused: new Set(),
    abandoned: [],
    declined: null,
    failure: null,
    respond: null,
    at: null,
    waitedMs: 0,
    stepCount: 0,
    size: 0,
    finished: null,
  };
  const trigger = root.steps.get(plan.trigger);
  if (trigger !== undefined) openStep(state, trigger, 'ready');
  return state;
}

/** A frame without any facts. */
export function newFrame(
  key: string,
  nodes: readonly PlanNode[],
  { iteration = null, call = null }: Partial<Pick<FrameState, 'iteration' | 'call'>> = {},
): FrameState {
  const steps = new Map<string, StepState>();
  const frame = { key, iteration, call, steps, outputs: Object.create(null), open: 0, returned: [] };
  for (const node of nodes) {
    steps.set(node.nodeId, {
      node,
      frame,
      phase: 'waiting',
      taken: [],
      dead: 0,
      inputEdges: [],
      attempts: 0,
      started: 0,
      wasStopped: false,
      retryAt: null,
      since: null,
      openedAt: null,
      value: null,
      taking: 0,
      loop: null,
      calls: null,
      pause: null,
      resumed: null,
      isAgreed: false,
      held: null,
    });
  }
  return frame;
}

/** The step that a frame belongs to: the loop or the calling step; null for the run itself. */
export function stepAround({ iteration, call }: FrameState): StepState | null {
  return iteration?.loop.step ?? call?.of.step ?? null;
}

/** The frame around a frame; null for the run itself. */
export function frameAround(frame: FrameState): FrameState | null {
  return stepAround(frame)?.frame ?? null;
}

/** The name of the frame of an iteration or a call: `node[3]`, and `node#2[3]` in the second attempt of the node. */
export function innerFrameKey({ node, frame }: StepState, attempt: number, index: number): string {
  const name = attempt === 1 ? node.nodeId : `${node.nodeId}#${attempt}`;
  return `${frame.key === '' ? '' : `${frame.key}/`}${name}[${index}]`;
}

/** The step that a fact refers to; undefined if its version has no such node, or its frame has ended. */
export function stepAt(state: RunState, { frame, nodeId }: { frame: string; nodeId: string }): StepState | undefined {
  return (frame === '' ? state.root : state.frames.get(frame))?.steps.get(nodeId);
}

/** The call whose step is in a frame; undefined for any other frame. */
export function eventCallOf({ call }: Pick<FrameState, 'call'>): EventCall | undefined {
  const made = call?.of.all[call.index]?.call;
  if (call === null || made === undefined) return undefined;
  const { tool } = made;
  return { of: call.of.step.node.nodeId, index: call.index, ...(tool !== undefined && { tool }) };
}

/** How a step may be repeated: as its call says, else as all steps of its component. */
export function effectOf({ node, frame: { call } }: Pick<StepState, 'node' | 'frame'>): Effect {
  const made = call?.of.all[call.index]?.call;
  const own = made === undefined || 'rejected' in made ? undefined : made.effect;
  return own ?? node.component.effect;
}

/** Whether the run can only wait. */
export function onlyWaits({ open, paused }: Pick<RunState, 'open' | 'paused'>): boolean {
  return open.size === 0 && paused.size > 0;
}

/** Marks a step as open. */
export function openStep(state: RunState, step: StepState, phase: 'ready' | 'skipping'): void {
  step.phase = phase;
  step.since = state.at;
  step.openedAt = state.at;
  step.frame.open += 1;
  state.open.add(step);
}

/** Marks a step as ended. */
export function settle(state: RunState, step: StepState, phase: 'succeeded' | 'failed' | 'skipped'): void {
  step.phase = phase;
  step.frame.open -= 1;
  state.open.delete(step);
}

/**
 * Adjusts a run's waits to a clock that was set by this many milliseconds: durations, the next attempts and the time
 * limits of loops are due after the same time as before. The times that steps can read do not change.
 */
export function followSetClock(state: RunState, byMs: number): void {
  state.startedAt += byMs;
  if (state.at !== null) state.at += byMs;
  for (const step of state.open) if (step.retryAt !== null) step.retryAt += byMs;
  for (const step of state.paused) {
    if (step.pause !== null) step.pause = { ...step.pause, pause: pauseAfterSetClock(step.pause.pause, byMs) };
  }
  for (const timed of state.timed) {
    timed.startedAt += byMs;
    if (timed.deadline !== null) timed.deadline += byMs;
  }
}
