import { runThrough } from '../src/base/meter.ts';
import type { CallsRequest, Iteration } from '../src/component/component.ts';
import { advance, type Decision } from '../src/engine/advance.ts';
import type { Trigger } from '../src/engine/execution.ts';
import { applyFact } from '../src/engine/fold/fold.ts';
import type { Fact } from '../src/engine/journal/history.ts';
import type { Plan } from '../src/engine/plan.ts';
import { newRunState, type RunState, type StepState } from '../src/engine/run-state.ts';
import { inputOf } from '../src/engine/step-input.ts';
import type { Json } from '../src/json.ts';

/**
 * The behaviour of a simulated step: returns a value, passes its input on along a route, iterates over items, or fails.
 */
export type Outcome =
  | { readonly value: Json }
  | { readonly route: string; readonly value?: Json }
  | { readonly iterate: Iteration }
  | CallsRequest
  | { readonly fails: true };

export interface Simulation {
  readonly plan: Plan;
  readonly outcome: (nodeId: string, input: Json, step: StepState) => Outcome;
  /** Default: more than any run makes. */
  readonly maxSteps?: number;
  /** Which of the steps in progress ends next, so that a test can try every order. */
  readonly pick?: (count: number) => number;
}

export const trigger: Trigger = { payload: { n: 1 }, text: '' };
/** The context of a run that is neither cancelled nor near a limit. */
export const calm = {
  cancelRequested: false,
  now: 0,
  deadline: 1,
  maxSteps: 10_000,
  maxSize: 1e9,
  crashCount: 0,
  incident: null,
};

/**
 * Runs a plan to its end without any I/O and returns its journal, which may already have entries. Folds the journal
 * again before each decision. All approvals are given.
 */
export function simulate(simulation: Simulation, begun: readonly Fact[] = []): Fact[] {
  const journal = [...begun];
  for (let state = fold(simulation.plan, journal); state.finished === null; state = fold(simulation.plan, journal)) {
    const decisions = advance(state, { ...calm, maxSteps: simulation.maxSteps ?? calm.maxSteps });
    const instant = decisions.find((decision) => decision.kind !== 'perform');
    const performable = decisions.filter((decision) => decision.kind === 'perform');
    const next = instant ?? performable[simulation.pick?.(performable.length) ?? 0];
    if (next === undefined) throw new Error('the run is stuck');
    journal.push(next.kind === 'park' ? yesTo(state) : carryOut(simulation, next));
  }
  return journal;
}

function yesTo({ paused }: RunState): Fact {
  const [step] = paused;
  if (step?.pause?.pause.kind !== 'approval') throw new Error('no simulated step waits for anything but a person');
  const answer = { kind: 'decision', confirmed: true, response: '', by: null } as const;
  return { kind: 'step_resumed', ...placeOf(step), stage: step.pause.stage, at: 0, answer };
}

function placeOf({ node, frame }: StepState) {
  return { nodeId: node.nodeId, frame: frame.key };
}

export function fold(plan: Plan, journal: readonly Fact[]): RunState {
  const state = newRunState(plan);
  for (const fact of journal) applyFact(state, fact);
  return state;
}

function carryOut(simulation: Simulation, decision: Exclude<Decision, { kind: 'park' }>): Fact {
  if (decision.kind === 'finish') return { kind: 'run_finished', at: 0, ...decision.result };
  if (decision.kind === 'wake') throw new Error('no simulated loop has a time limit');
  return carryOutStep(simulation, decision);
}

function carryOutStep(simulation: Simulation, decision: Extract<Decision, { step: StepState }>): Fact {
  const { node, frame, attempts } = decision.step;
  const common = { nodeId: node.nodeId, frame: frame.key, attempt: attempts + 1, at: 0, durationMs: 0 };
  switch (decision.kind) {
    case 'skip':
      return { kind: 'step_skipped', nodeId: node.nodeId, frame: frame.key, at: 0 };
    case 'end_loop':
      return { kind: 'step_succeeded', ...common, outputs: decision.outputs };
    case 'fail_loop':
    case 'fail_calls':
      return { kind: 'step_failed', ...common, retryAt: retryAt(decision.step), ...whyFailed(decision) };
    case 'pause':
      return { ...decision.fact, at: 0 };
    case 'perform':
      return perform(simulation, decision.step);
  }
}

function whyFailed({ failure, cause }: Extract<Decision, { kind: 'fail_loop' | 'fail_calls' }>) {
  return { failure, ...(cause !== null && { cause }) };
}

/** Without delay, as often as the node's policy allows. */
function retryAt({ node, attempts }: StepState): number | null {
  return attempts + 1 < (node.policies.retry?.max_attempts ?? 1) ? 0 : null;
}

function perform(simulation: Simulation, step: StepState): Fact {
  const input = runThrough(inputOf(step, trigger));
  const outcome = simulation.outcome(step.node.nodeId, input, step);
  const common = { nodeId: step.node.nodeId, frame: step.frame.key, attempt: step.attempts + 1, at: 0 };
  const failure = { code: 'step_crashed', message: 'It failed.' } as const;
  if ('fails' in outcome) {
    return { kind: 'step_failed', ...common, durationMs: 0, retryAt: retryAt(step), failure };
  }
  if ('calls' in outcome) {
    const { calls, brief, concurrency = calls.length } = outcome;
    return { kind: 'calls_opened', ...common, ...(brief !== undefined && { brief }), concurrency, calls };
  }
  if ('iterate' in outcome) return { kind: 'loop_started', ...common, ...outcome.iterate };
  const port = step.node.component.outputs[0]?.name ?? '';
  const { value = input } = outcome;
  const route = 'route' in outcome ? { route: outcome.route } : {};
  return { kind: 'step_succeeded', ...common, durationMs: 0, outputs: { [port]: value, ...route }, ...route };
}
