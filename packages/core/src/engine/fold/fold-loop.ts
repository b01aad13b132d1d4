import type { Json } from '../../json.ts';
import type { Failure, LoopStarted } from '../journal/history.ts';
import type { PlanBody } from '../plan.ts';
import {
  type FrameState,
  innerFrameKey,
  type LoopState,
  newFrame,
  type RunState,
  type StepState,
} from '../run-state.ts';
import { dropCalls } from './fold-calls.ts';
import { decideEdge } from './fold-edges.ts';
import { dropPause } from './fold-pause.ts';

/** Starts a loop by opening its first frames. A loop without items ends at once. */
export function startLoop(state: RunState, step: StepState, fact: LoopStarted): void {
  const { items, concurrency, onItemError, attempt, at: startedAt } = fact;
  const seconds = step.node.policies.timeout_seconds ?? step.node.common.timeout ?? null;
  const deadline = seconds === null ? null : startedAt + seconds * 1000;
  const results = items.map(() => null);
  const progress = { begun: 0, frames: new Set<FrameState>(), results, errors: [], failure: null, cause: null };
  const loop = { step, attempt, items, concurrency, onItemError, startedAt, deadline, ...progress };
  step.loop = loop;
  step.phase = 'looping';
  state.open.delete(step);
  if (deadline !== null) state.timed.add(loop);
  openFrames(state, loop);
}

/** Opens as many frames as the concurrency allows; when the last frame has ended, so has the loop. */
function openFrames(state: RunState, loop: LoopState): void {
  while (loop.frames.size < loop.concurrency && loop.begun < loop.items.length) openFrame(state, loop);
  if (loop.frames.size === 0) endLoop(state, loop);
}

function openFrame(state: RunState, loop: LoopState): void {
  const body = bodyOf(state, loop);
  const index = loop.begun;
  const key = innerFrameKey(loop.step, loop.attempt, index);
  const frame = newFrame(key, body.nodes, { iteration: { loop, index } });
  loop.begun += 1;
  loop.frames.add(frame);
  state.frames.set(key, frame);
  for (const edge of body.entries) {
    const target = frame.steps.get(edge.target);
    if (target !== undefined) decideEdge(state, target, edge, true);
  }
}

function bodyOf(state: RunState, { step }: LoopState): PlanBody {
  const body = state.plan.bodies.get(step.node.nodeId);
  // A plan with a loop without a body is rejected.
  if (body === undefined) throw new Error(`loop '${step.node.nodeId}' has no body`);
  return body;
}

/** All nodes of the frame have ended: the returned value is the result of the item. */
export function endFrame(state: RunState, frame: FrameState): void {
  // The last fact may already have ended the frame: its item, or its loop, failed.
  if (frame.iteration === null || state.frames.get(frame.key) !== frame) return;
  const { loop, index } = frame.iteration;
  loop.results[index] = returnedValue(bodyOf(state, loop), frame);
  dropFrame(state, frame);
  openFrames(state, loop);
}

/** The value of the taken return edge; of several, an object keyed by node id. */
function returnedValue({ returns }: PlanBody, { returned, steps }: FrameState): Json {
  const values = returns
    .filter((edge) => returned.includes(edge))
    .map(({ source }): [string, Json] => [source, steps.get(source)?.value ?? null]);
  return values.length > 1 ? Object.fromEntries(values) : (values[0]?.[1] ?? null);
}

/** The reason why a loop fails when a node in one of its frames failed. */
export function itemFailure(frame: string, nodeId: string, { code, message }: Failure): Failure {
  return { code, message: `Iteration ${frame}: node '${nodeId}' failed: ${message}` };
}

/** A node in a frame failed, and nothing in the frame handles the error: the item has failed. */
export function failFrame(state: RunState, { frame, node }: StepState, failure: Failure): void {
  if (frame.iteration === null) return;
  const { loop, index } = frame.iteration;
  if (loop.onItemError === 'stop') {
    loop.failure = itemFailure(frame.key, node.nodeId, failure);
    loop.cause = { frame: frame.key, nodeId: node.nodeId };
    endLoop(state, loop);
    return;
  }
  const { code: error_code, message: error } = failure;
  loop.errors.push({ index, item: loop.items[index] ?? null, node_id: node.nodeId, error, error_code });
  dropFrame(state, frame);
  openFrames(state, loop);
}

function endLoop(state: RunState, loop: LoopState): void {
  for (const frame of loop.frames) dropFrame(state, frame);
  state.timed.delete(loop);
  loop.step.phase = 'ending';
  state.open.add(loop.step);
}

/** Removes a loop that has ended, with everything in progress in it. */
export function dropLoop(state: RunState, step: StepState): void {
  if (step.loop === null) return;
  for (const frame of step.loop.frames) dropFrame(state, frame);
  state.timed.delete(step.loop);
  step.loop = null;
}

function dropFrame(state: RunState, frame: FrameState): void {
  for (const step of frame.steps.values()) {
    state.open.delete(step);
    dropPause(state, step);
    dropLoop(state, step);
    dropCalls(state, step);
  }
  state.frames.delete(frame.key);
  frame.iteration?.loop.frames.delete(frame);
}
