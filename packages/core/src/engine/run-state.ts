import type { HttpAnswer, Iteration } from '../component/component.ts';
import type { Pause, PauseAnswer, PauseKey, PauseStage } from '../component/pause.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Failure, RunFinished, StepKey, StepSucceeded } from './journal/history.ts';
import type { Plan, PlanEdge, PlanNode } from './plan.ts';

/**
 * Where a node stands in its frame. `ready` covers a step that is being performed: only facts move it on. A loop is
 * `looping` while its frames are under way, and `ending` once they have ended. `held` is a step that succeeded, as long
 * as nobody has been asked whether to go on after it.
 */
export type Phase =
  | 'waiting'
  | 'ready'
  | 'retrying'
  | 'paused'
  | 'held'
  | 'looping'
  | 'ending'
  | 'succeeded'
  | 'failed'
  | 'skipping'
  | 'skipped';

/** One node in one frame: what decisions are about, and what is performed. */
export interface StepState {
  readonly node: PlanNode;
  readonly frame: FrameState;
  phase: Phase;
  /** Incoming edges decided so far. */
  readonly taken: PlanEdge[];
  dead: number;
  /** The edges whose values make up the input: those taken when the join was met. */
  inputEdges: readonly PlanEdge[];
  /** Attempts that ended. */
  attempts: number;
  /** The last attempt that said that it is about to act. */
  started: number;
  /** Whether that attempt was under way when the run, or the iteration, ended that a retry has taken up again. */
  wasStopped: boolean;
  retryAt: Instant | null;
  /** Since when its next attempt may be under way; null of the trigger, until it has failed. */
  since: Instant | null;
  /** When it could first begin, as the journal tells: the same at each of its attempts. Null of the trigger. */
  openedAt: Instant | null;
  /** What leaves by its first output, once it succeeded (or failed with `on_error: continue`). */
  value: Json;
  /** How many of its outgoing edges were taken. */
  taking: number;
  /** What it goes through, while it is a loop under way. */
  loop: LoopState | null;
  /** What it waits for, while it is paused. */
  pause: { readonly stage: PauseStage; readonly pause: Pause } | null;
  /** What its attempt waited for has come: the attempt goes on with it. */
  resumed: { readonly pause: Pause; readonly answer: PauseAnswer } | null;
  /** Whether somebody has agreed to it where it has `interrupt_before`. */
  isAgreed: boolean;
  /** How it succeeded, while it is held. */
  held: StepSucceeded | null;
}

/** The run itself, or one iteration of a loop: its nodes run once in it. An iteration's goes when it has ended. */
export interface FrameState {
  /** As facts name it. */
  readonly key: string;
  /** Null for the run itself. */
  readonly iteration: { readonly loop: LoopState; readonly index: number } | null;
  readonly steps: ReadonlyMap<string, StepState>;
  /** Per finished node its ports: what expressions see as `nodes`. Grows as the frame goes on. */
  readonly outputs: { [nodeId: string]: JsonObject };
  /** How many steps are neither waiting for their edges nor at their end. */
  open: number;
  /** The edges back to the loop that were taken. */
  readonly returned: PlanEdge[];
}

/** An item of a loop that failed, as `errors` shows it. */
export interface ItemError extends JsonObject {
  readonly index: number;
  readonly item: Json;
  readonly node_id: string;
  readonly error: string;
  readonly error_code: string;
}

/** A loop under way. */
export interface LoopState extends Iteration {
  readonly step: StepState;
  readonly attempt: number;
  startedAt: Instant;
  /** When its time is up, if its node says so. */
  deadline: Instant | null;
  /** How many items have got their frame. */
  begun: number;
  readonly frames: Set<FrameState>;
  /** In the order of the items; null for what returned nothing. */
  readonly results: Json[];
  readonly errors: ItemError[];
  /** Why the whole loop fails, and the step in its body whose failure it was. */
  failure: Failure | null;
  cause: StepKey | null;
}

/** The fold of a run's journal. Built by `newRunState` and `applyFact` only; `followSetClock` moves its times. */
export interface RunState {
  readonly plan: Plan;
  /** Since when its time counts. */
  readonly startedAt: Instant;
  readonly root: FrameState;
  /** The frames of loops under way, by their keys. */
  readonly frames: Map<string, FrameState>;
  /** Steps that advance has something to decide about, in the order they came up. */
  readonly open: Set<StepState>;
  /** The loops under way whose time is limited. */
  readonly timed: Set<LoopState>;
  /** Steps that wait for something outside. */
  readonly paused: Set<StepState>;
  /** What nobody needs to wait for any more, because its iteration has ended. Whoever stores the facts takes it. */
  readonly abandoned: PauseKey[];
  /** Who said no where the run was interrupted, which ends it. */
  declined: { readonly nodeId: string; readonly by: string | null } | null;
  /** The failure that ends the run, and its node. */
  failure: { readonly nodeId: string; readonly failure: Failure } | null;
  /** What the first respond node answered that was performed. */
  respond: HttpAnswer | null;
  /** When the last fact happened. */
  at: Instant | null;
  /** How long it had nothing to do but wait, until the last fact: that is not its time. */
  waitedMs: number;
  /** Attempts performed, for the limit on steps. */
  stepCount: number;
  /** About how many characters all that was put out has as JSON, the items of loops too, for the limit on them. */
  size: number;
  finished: RunFinished | null;
}

/** A run before its first fact: only the trigger is ready. */
export function newRunState(plan: Plan, startedAt: Instant = 0): RunState {
  const root = newFrame('', null, plan.root);
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

/** A frame in which nothing has happened. */
export function newFrame(key: string, iteration: FrameState['iteration'], nodes: readonly PlanNode[]): FrameState {
  const steps = new Map<string, StepState>();
  const frame = { key, iteration, steps, outputs: Object.create(null), open: 0, returned: [] };
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
      pause: null,
      resumed: null,
      isAgreed: false,
      held: null,
    });
  }
  return frame;
}

/** The frame around a frame; null for the run itself. */
export function frameAround({ iteration }: FrameState): FrameState | null {
  return iteration === null ? null : iteration.loop.step.frame;
}

/** The step that a fact is about; undefined when its version has no such node, or its frame is over. */
export function stepAt(state: RunState, { frame, nodeId }: { frame: string; nodeId: string }): StepState | undefined {
  return (frame === '' ? state.root : state.frames.get(frame))?.steps.get(nodeId);
}

/** Whether there is nothing to do but wait. */
export function onlyWaits({ open, paused }: Pick<RunState, 'open' | 'paused'>): boolean {
  return open.size === 0 && paused.size > 0;
}

/** A step has something to do. */
export function openStep(state: RunState, step: StepState, phase: 'ready' | 'skipping'): void {
  step.phase = phase;
  step.since = state.at;
  step.openedAt = state.at;
  step.frame.open += 1;
  state.open.add(step);
}

/** A step has come to its end. */
export function settle(state: RunState, step: StepState, phase: 'succeeded' | 'failed' | 'skipped'): void {
  step.phase = phase;
  step.frame.open -= 1;
  state.open.delete(step);
}

/**
 * Has what a run waits for follow a clock that somebody has set by so many milliseconds: its next attempts and the time
 * limits of its loops come as long from now as they would have. What steps see of time stays as it was.
 */
export function followSetClock(state: RunState, byMs: number): void {
  if (state.at !== null) state.at += byMs;
  for (const step of state.open) if (step.retryAt !== null) step.retryAt += byMs;
  for (const loop of state.timed) {
    loop.startedAt += byMs;
    if (loop.deadline !== null) loop.deadline += byMs;
  }
}
