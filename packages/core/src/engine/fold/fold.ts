import type { Component } from '../../component/component.ts';
import type { CallEnd } from '../../component/tools/calls.ts';
import { switchType } from '../../graph/edge-rules.ts';
import { type Json, type JsonObject, own } from '../../json.ts';
import type { Fact, StepFailed, StepResumed, StepSucceeded } from '../journal/history.ts';
import { onlyWaits, type RunState, type StepState, settle, stepAt } from '../run-state.ts';
import { valueSize } from '../value-size.ts';
import { declineCall, dropCalls, endCall, failCall, openCalls } from './fold-calls.ts';
import { decideEdges, onErrorOf, routedEdges } from './fold-edges.ts';
import { dropLoop, endFrame, failFrame, startLoop } from './fold-loop.ts';
import { pauseStep, resumeStep } from './fold-pause.ts';

/** Adds one fact to the state, in place. Facts come in journal order. */
export function applyFact(state: RunState, fact: Fact): void {
  if (fact.kind === 'run_finished') {
    state.finished = fact;
    return;
  }
  if (onlyWaits(state)) state.waitedMs += Math.max(0, fact.at - Math.max(state.at ?? fact.at, state.startedAt));
  state.at = fact.at;
  const step = stepAt(state, fact);
  if (fact.kind === 'step_stopped') {
    // The end of the surrounding frame or run is a separate fact, which a retry may revoke.
    if (step !== undefined) step.wasStopped = true;
    return;
  }
  // A journal is always read with the version it was written for, so this cannot be a user's error.
  if (step === undefined)
    throw new Error(`the journal names '${fact.frame}' ${fact.nodeId}, which its run does not have`);
  applyTo(state, step, fact);
  // The last node of an iteration has ended, unless this fact has ended the iteration.
  if (step.frame.open === 0) endFrame(state, step.frame);
}

function applyTo(
  state: RunState,
  step: StepState,
  fact: Exclude<Fact, { kind: 'run_finished' | 'step_stopped' }>,
): void {
  switch (fact.kind) {
    case 'step_succeeded':
      succeed(state, step, fact);
      break;
    case 'step_failed':
      fail(state, step, fact);
      break;
    case 'step_skipped':
      settle(state, step, 'skipped');
      decideEdges(state, step, () => false);
      break;
    case 'loop_started':
      state.size += valueSize(fact.items);
      startLoop(state, step, fact);
      break;
    case 'calls_opened':
      openCalls(state, step, fact);
      break;
    case 'step_started':
      step.started = fact.attempt;
      step.wasStopped = false;
      step.since = fact.at;
      break;
    case 'step_paused':
      pauseStep(state, step, fact);
      break;
    case 'step_resumed': {
      // The person who approved the start has checked whether an earlier attempt acted.
      if (fact.stage === 'before') step.started = 0;
      const outcome = resumeStep(state, step, fact);
      if (outcome === 'declined') decline(state, step, fact);
      else if (outcome !== null) goOn(state, step, outcome);
      break;
    }
  }
}

function succeed(state: RunState, step: StepState, fact: StepSucceeded): void {
  state.stepCount += 1;
  state.size += valueSize(fact.outputs);
  step.attempts = fact.attempt;
  step.resumed = null;
  dropLoop(state, step);
  dropCalls(state, step);
  step.frame.outputs[fact.nodeId] = fact.outputs;
  step.value = firstOutput(step.node.component, fact.outputs);
  // The caller received its answer from the first respond node.
  if (fact.respond !== undefined) state.respond ??= fact.respond;
  if (step.node.interruptAfter && fact.agreed !== true) hold(state, step, fact);
  else goOn(state, step, fact);
}

/** The step's edges are not decided until someone approves. */
function hold(state: RunState, step: StepState, fact: StepSucceeded): void {
  step.phase = 'held';
  step.held = fact;
  state.open.add(step);
}

/** A no to a call is an answer to the calling step. Any other no ends the run. */
function decline(state: RunState, step: StepState, { answer }: StepResumed): void {
  if (step.frame.call !== null) declineCall(state, step, answer);
  else state.declined = { nodeId: step.node.nodeId, by: answer.kind === 'decision' ? answer.by : null };
}

function goOn(state: RunState, step: StepState, fact: StepSucceeded): void {
  step.held = null;
  settle(state, step, 'succeeded');
  if (step.frame.call !== null) {
    endCall(state, step, { outputs: fact.outputs, ...costOf(fact) });
    return;
  }
  const routed = routedEdges(step.node, fact.route);
  decideEdges(state, step, (edge) => edge.kind === 'direct' || (edge.kind === 'conditional' && routed.has(edge)));
}

function fail(state: RunState, step: StepState, fact: StepFailed): void {
  state.stepCount += 1;
  step.attempts = fact.attempt;
  step.retryAt = fact.retryAt;
  step.resumed = null;
  dropLoop(state, step);
  dropCalls(state, step);
  if (fact.retryAt !== null) {
    step.phase = 'retrying';
    step.since = fact.retryAt;
    state.open.add(step);
    return;
  }
  settle(state, step, 'failed');
  if (step.frame.call !== null) {
    failCall(state, step, { failure: fact.failure, ...costOf(fact) });
    return;
  }
  const payload = { error: fact.failure.message, error_code: fact.failure.code, node_id: fact.nodeId };
  const onError = onErrorOf(step.node);
  if (onError === 'stop') {
    stop(state, step, fact);
    return;
  }
  step.value = payload;
  step.frame.outputs[fact.nodeId] = { error: payload };
  const wanted = onError === 'route' ? 'error' : 'direct';
  decideEdges(state, step, (edge) => edge.kind === wanted);
}

/** The usage and the milliseconds of an attempt. */
function costOf({ usage, durationMs }: StepSucceeded | StepFailed): Pick<CallEnd, 'usage' | 'durationMs'> {
  return { durationMs, ...(usage !== undefined && { usage }) };
}

/** Ends the item or the run that contains the step. */
function stop(state: RunState, step: StepState, { nodeId, failure }: StepFailed): void {
  if (step.frame.iteration === null) state.failure = { nodeId, failure };
  else failFrame(state, step, failure);
}

/** The value that the direct and conditional edges of a finished node carry: its first output. */
function firstOutput({ type, outputs: ports }: Component<never>, outputs: JsonObject): Json {
  const [port] = ports;
  const value = port && own(outputs, port.name);
  if (value !== undefined) return value;
  // Before the port `output` existed, a switch recorded only its route and passed the route on: such a run continues
  // with it.
  return (type === switchType ? own(outputs, 'route') : undefined) ?? null;
}
