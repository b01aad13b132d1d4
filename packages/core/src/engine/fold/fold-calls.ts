import type { PauseAnswer } from '../../component/pause.ts';
import type { CallEnd, StepCall } from '../../component/tools/calls.ts';
import type { CallsOpened } from '../journal/history.ts';
import type { PlanNode } from '../plan.ts';
import {
  type CallsState,
  innerFrameKey,
  newFrame,
  openStep,
  type RunState,
  type StepState,
  settle,
} from '../run-state.ts';
import { valueSize } from '../value-size.ts';
import { dropPause } from './fold-pause.ts';

/** A step makes calls. Each is a step of the called node, which is alone in a frame of its own. */
export function openCalls(state: RunState, step: StepState, fact: CallsOpened): void {
  const calls = step.calls ?? newCalls(step, fact);
  if (step.calls === null) {
    step.calls = calls;
    state.size += valueSize(calls.brief);
    if (calls.deadline !== null) state.timed.add(calls);
  }
  calls.concurrency = fact.concurrency;
  for (const call of fact.calls)
    calls.all.push({ call, ended: 'rejected' in call ? { failure: call.rejected } : null });
  step.phase = 'calling';
  state.open.delete(step);
  openFrames(state, calls);
}

function newCalls(step: StepState, { attempt, at: startedAt, brief = {}, concurrency }: CallsOpened): CallsState {
  const seconds = step.node.policies.timeout_seconds ?? null;
  const deadline = seconds === null ? null : startedAt + seconds * 1000;
  const progress = { all: [], begun: 0, frames: new Set<never>(), failure: null, cause: null };
  return { step, attempt, startedAt, deadline, brief, concurrency, ...progress };
}

/** Opens as many calls as the concurrency allows; when the last one has ended, the step continues. */
function openFrames(state: RunState, calls: CallsState): void {
  while (calls.frames.size < calls.concurrency && calls.begun < calls.all.length) {
    const index = calls.begun;
    calls.begun += 1;
    const call = calls.all[index]?.call;
    if (call !== undefined && !('rejected' in call)) openCall(state, { calls, index, call });
  }
  if (calls.frames.size > 0) return;
  calls.step.phase = 'ready';
  state.open.add(calls.step);
}

interface OpenedCall {
  readonly calls: CallsState;
  readonly index: number;
  readonly call: StepCall;
}

function openCall(state: RunState, { calls, index, call }: OpenedCall): void {
  const node = calleeOf(calls, call);
  const key = innerFrameKey(calls.step, calls.attempt, index);
  const asked = call.asks === undefined ? node : { ...node, interruptBefore: true };
  const frame = newFrame(key, [asked], { call: { of: calls, index } });
  calls.frames.add(frame);
  state.frames.set(key, frame);
  for (const step of frame.steps.values()) openStep(state, step, 'ready');
}

function calleeOf({ step }: CallsState, { to }: StepCall): PlanNode {
  const node = step.node.callees.get(to);
  // A journal is always read with the version it was written for.
  if (node === undefined) throw new Error(`node '${step.node.nodeId}' has no connection from '${to}'`);
  return node;
}

/** The step of a call has ended. */
export function endCall(state: RunState, step: StepState, ended: CallEnd): void {
  const { call } = step.frame;
  if (call === null) return;
  const made = call.of.all[call.index];
  if (made !== undefined) made.ended = ended;
  dropFrame(state, step);
  openFrames(state, call.of);
}

/** The step of a call has failed. The calling step decides what follows, unless the called node stops everything. */
export function failCall(state: RunState, step: StepState, ended: Extract<CallEnd, { failure: unknown }>): void {
  const calls = step.frame.call?.of;
  if (calls === undefined) return;
  if (step.node.policies.on_error !== 'stop') {
    endCall(state, step, ended);
    return;
  }
  const { node, frame } = step;
  const { failure } = ended;
  calls.failure = {
    code: failure.code,
    message: `Call ${frame.key}: node '${node.nodeId}' failed: ${failure.message}`,
  };
  calls.cause = { frame: frame.key, nodeId: node.nodeId };
  dropFrames(state, calls);
  state.timed.delete(calls);
  calls.step.phase = 'ending';
  state.open.add(calls.step);
}

/** A person answered no to a call, or nobody answered in time. */
export function declineCall(state: RunState, step: StepState, answer: PauseAnswer): void {
  settle(state, step, 'failed');
  endCall(state, step, { failure: { code: 'tool_declined', message: declined(answer) } });
}

function declined(answer: PauseAnswer): string {
  if (answer.kind !== 'decision') return 'Nobody approved this call in time, so it was not made.';
  const words = answer.response.trim();
  return `A person declined this call, so it was not made${words === '' ? '.' : `: ${words}`}`;
}

/** Removes the calls of an attempt that has ended, with everything in progress in them. */
export function dropCalls(state: RunState, step: StepState): void {
  if (step.calls === null) return;
  dropFrames(state, step.calls);
  state.timed.delete(step.calls);
  step.calls = null;
}

function dropFrames(state: RunState, calls: CallsState): void {
  for (const frame of calls.frames) for (const step of frame.steps.values()) dropFrame(state, step);
}

function dropFrame(state: RunState, step: StepState): void {
  state.open.delete(step);
  dropPause(state, step);
  state.frames.delete(step.frame.key);
  step.frame.call?.of.frames.delete(step.frame);
}
