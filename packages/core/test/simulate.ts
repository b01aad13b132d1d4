import { advance } from '../src/advance.ts';
import type { Trigger } from '../src/execution.ts';
import type { Fact } from '../src/history.ts';
import type { Json } from '../src/json.ts';
import type { Plan } from '../src/plan.ts';
import { applyFact, newRunState, type RunState, type StepState } from '../src/run-state.ts';
import { inputOf } from '../src/step-input.ts';

/** What a simulated step does: gives a value, takes a route, or fails. */
export type Outcome = { readonly value: Json } | { readonly route: string } | { readonly fails: true };

export interface Simulation {
  readonly plan: Plan;
  readonly outcome: (nodeId: string, input: Json) => Outcome;
  /** Which of the performable steps ends next: lets a test try every order. */
  readonly pick?: (count: number) => number;
}

export const trigger: Trigger = { payload: { n: 1 }, text: '' };
const calm = { cancelRequested: false, now: 0, deadline: 1 };

/** Runs a plan to its end without any I/O, and gives its journal. Folds the journal anew before each decision. */
export function simulate(simulation: Simulation): Fact[] {
  const journal: Fact[] = [];
  for (let state = fold(simulation.plan, journal); state.finished === null; state = fold(simulation.plan, journal)) {
    const decisions = advance(state, calm);
    const instant = decisions.find((decision) => decision.kind !== 'perform');
    if (instant?.kind === 'finish') journal.push({ kind: 'run_finished', at: 0, ...instant.result });
    else if (instant?.kind === 'skip')
      journal.push({ kind: 'step_skipped', nodeId: instant.step.node.nodeId, frame: '', at: 0 });
    else {
      const next = decisions[simulation.pick?.(decisions.length) ?? 0];
      if (next?.kind !== 'perform') throw new Error('the run is stuck');
      journal.push(perform(simulation, state, next.step));
    }
  }
  return journal;
}

export function fold(plan: Plan, journal: readonly Fact[]): RunState {
  const state = newRunState(plan);
  for (const fact of journal) applyFact(state, fact);
  return state;
}

function perform(simulation: Simulation, state: RunState, step: StepState): Fact {
  const outcome = simulation.outcome(step.node.nodeId, inputOf(state, step, trigger));
  const common = { nodeId: step.node.nodeId, frame: '', attempt: step.attempts + 1, at: 0, durationMs: 0 };
  if ('fails' in outcome) {
    return { kind: 'step_failed', ...common, retryAt: null, failure: { code: 'step_crashed', message: 'It failed.' } };
  }
  const port = step.node.component.outputs[0]?.name ?? '';
  if ('route' in outcome)
    return { kind: 'step_succeeded', ...common, outputs: { [port]: outcome.route }, route: outcome.route };
  return { kind: 'step_succeeded', ...common, outputs: { [port]: outcome.value } };
}
