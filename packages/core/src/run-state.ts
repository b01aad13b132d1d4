import type { HttpAnswer } from './component.ts';
import type { Fact, Failure, RunFinished, StepFailed, StepSucceeded } from './history.ts';
import type { Json, JsonObject } from './json.ts';
import { own } from './json.ts';
import type { Plan, PlanEdge, PlanNode } from './plan.ts';
import type { Instant } from './time.ts';

/** Where a node stands in a run. `ready` covers a step that is being performed: only facts move it on. */
export type Phase = 'waiting' | 'ready' | 'retrying' | 'succeeded' | 'failed' | 'skipping' | 'skipped';

export interface StepState {
  readonly node: PlanNode;
  phase: Phase;
  /** Incoming edges decided so far. */
  readonly taken: PlanEdge[];
  dead: number;
  /** The edges whose values make up the input: those taken when the join was met. */
  inputEdges: readonly PlanEdge[];
  /** Attempts that ended. */
  attempts: number;
  retryAt: Instant | null;
  /** What leaves by its first output, once it succeeded (or failed with `on_error: continue`). */
  value: Json;
  /** How many of its outgoing edges were taken. */
  taking: number;
}

/** The fold of a run's journal. Built by `newRunState` and `applyFact` only. */
export interface RunState {
  readonly steps: ReadonlyMap<string, StepState>;
  /** Steps that advance has something to decide about, in the order they came up. */
  readonly open: Set<StepState>;
  /** Per finished node its ports: what expressions see as `nodes`. Grows with the run. */
  readonly outputs: { [nodeId: string]: JsonObject };
  /** The failure that ends the run, and its node. */
  failure: { readonly nodeId: string; readonly failure: Failure } | null;
  respond: HttpAnswer | null;
  /** Attempts performed, for the limit on steps. */
  stepCount: number;
  finished: RunFinished | null;
}

/** A run before its first fact: only the trigger is ready. */
export function newRunState(plan: Plan): RunState {
  const steps = new Map<string, StepState>();
  for (const node of plan.nodes.values()) {
    steps.set(node.nodeId, {
      node,
      phase: node.nodeId === plan.trigger ? 'ready' : 'waiting',
      taken: [],
      dead: 0,
      inputEdges: [],
      attempts: 0,
      retryAt: null,
      value: null,
      taking: 0,
    });
  }
  const trigger = steps.get(plan.trigger);
  return {
    steps,
    open: new Set(trigger && [trigger]),
    outputs: Object.create(null),
    failure: null,
    respond: null,
    stepCount: 0,
    finished: null,
  };
}

/** Folds one more fact into the state, in place. Facts come in journal order. */
export function applyFact(state: RunState, fact: Fact): void {
  if (fact.kind === 'run_finished') {
    state.finished = fact;
    return;
  }
  const step = state.steps.get(fact.nodeId);
  // A journal is only ever read with the version it was written for, so this cannot be a user's mistake.
  if (step === undefined) throw new Error(`the journal names node '${fact.nodeId}', which its version does not have`);
  if (fact.kind === 'step_succeeded') succeed(state, step, fact);
  else if (fact.kind === 'step_failed') fail(state, step, fact);
  else skip(state, step);
}

function settle(state: RunState, step: StepState, phase: Phase): void {
  step.phase = phase;
  state.open.delete(step);
}

function skip(state: RunState, step: StepState): void {
  settle(state, step, 'skipped');
  decideEdges(state, step, () => false);
}

function succeed(state: RunState, step: StepState, fact: StepSucceeded): void {
  state.stepCount += 1;
  step.attempts = fact.attempt;
  settle(state, step, 'succeeded');
  state.outputs[fact.nodeId] = fact.outputs;
  const first = step.node.component.outputs[0];
  step.value = (first && own(fact.outputs, first.name)) ?? null;
  if (fact.respond !== undefined) state.respond = fact.respond;
  const routed = routedEdges(step.node, fact.route);
  decideEdges(state, step, (edge) => edge.kind === 'direct' || (edge.kind === 'conditional' && routed.has(edge)));
}

/** The conditional edges that a switch's route takes: by value, else by legacy mapping, else the fallback. */
function routedEdges(node: PlanNode, route: string | undefined): ReadonlySet<PlanEdge> {
  if (route === undefined) return new Set();
  const conditional = node.outgoing.filter((edge) => edge.kind === 'conditional');
  const byValue = conditional.filter((edge) => edge.conditionValue === route);
  if (byValue.length > 0) return new Set(byValue);
  const mapped = conditional.map((edge) => edge.conditionMapping?.get(route)).find((target) => target !== undefined);
  // `__end__` names no node, so a branch mapped to it takes no edge.
  if (mapped !== undefined) return new Set(conditional.filter((edge) => edge.target === mapped));
  const fallback = node.common.extra_config.enable_fallback === true;
  return new Set(fallback ? conditional.filter((edge) => edge.conditionValue === '__other__') : []);
}

function fail(state: RunState, step: StepState, fact: StepFailed): void {
  state.stepCount += 1;
  step.attempts = fact.attempt;
  step.retryAt = fact.retryAt;
  if (fact.retryAt !== null) {
    step.phase = 'retrying';
    return;
  }
  settle(state, step, 'failed');
  const payload = { error: fact.failure.message, error_code: fact.failure.code, node_id: fact.nodeId };
  const onError = onErrorOf(step.node);
  if (onError === 'stop') {
    state.failure = { nodeId: fact.nodeId, failure: fact.failure };
    return;
  }
  step.value = payload;
  state.outputs[fact.nodeId] = { error: payload };
  const wanted = onError === 'route' ? 'error' : 'direct';
  decideEdges(state, step, (edge) => edge.kind === wanted);
}

/** What follows a node's last failure. Without a word in its config, an error edge is reason enough to take it. */
export function onErrorOf(node: Pick<PlanNode, 'policies' | 'outgoing'>): 'stop' | 'continue' | 'route' {
  const hasErrorEdge = node.outgoing.some((edge) => edge.kind === 'error');
  const wanted = node.policies.on_error ?? (hasErrorEdge ? 'route' : 'stop');
  return wanted === 'route' && !hasErrorEdge ? 'stop' : wanted;
}

function decideEdges(state: RunState, step: StepState, isTaken: (edge: PlanEdge) => boolean): void {
  for (const edge of step.node.outgoing) {
    const target = state.steps.get(edge.target);
    if (target === undefined) continue;
    if (isTaken(edge)) {
      step.taking += 1;
      target.taken.push(edge);
    } else {
      target.dead += 1;
    }
    if (target.phase === 'waiting') join(state, target);
  }
}

function join(state: RunState, step: StepState): void {
  const { incoming, policies } = step.node;
  const undecided = incoming.length - step.taken.length - step.dead;
  const rule = policies.join ?? 'all';
  const needed = rule === 'all' ? Math.max(1, incoming.length - step.dead) : rule === 'any' ? 1 : rule.count;
  if (step.taken.length >= needed) {
    step.phase = 'ready';
    step.inputEdges = incoming.filter((edge) => step.taken.includes(edge));
    state.open.add(step);
  } else if (step.taken.length + undecided < needed) {
    step.phase = 'skipping';
    state.open.add(step);
  }
}
