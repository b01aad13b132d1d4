import type { Trigger } from './execution.ts';
import type { JournalEntry } from './history.ts';
import type { Json } from './json.ts';
import type { Plan } from './plan.ts';
import { applyFact, newRunState, type RunState, type StepState } from './run-state.ts';

/** What a trigger node is given. */
export function triggerInput(trigger: Trigger): Json {
  return { payload: trigger.payload, text: trigger.text, headers: trigger.headers ?? {}, query: trigger.query ?? {} };
}

/**
 * A node's input: the first output of its taken predecessor; of several, an object keyed by node id, or a list in
 * edge order for components that gather.
 */
export function inputOf(state: RunState, step: StepState, trigger: Trigger): Json {
  const edges = step.inputEdges;
  if (edges.length === 0) return triggerInput(trigger);
  const values = edges.map((edge): Json => state.steps.get(edge.source)?.value ?? null);
  const { gathers } = step.node.component;
  if (gathers === 'always' || (gathers === 'several' && values.length > 1)) return values;
  if (values.length === 1) return values[0] ?? null;
  return Object.fromEntries(edges.map((edge, index) => [edge.source, values[index] ?? null]));
}

/** For each journaled step the input it was given, by seq: derived from the journal, which stores no value twice. */
export function inputsOf(plan: Plan, trigger: Trigger, entries: readonly JournalEntry[]): ReadonlyMap<number, Json> {
  const state = newRunState(plan);
  const inputs = new Map<number, Json>();
  for (const { seq, fact } of entries) {
    if (fact.kind !== 'run_finished') {
      const step = state.steps.get(fact.nodeId);
      inputs.set(seq, step === undefined || fact.kind === 'step_skipped' ? null : inputOf(state, step, trigger));
    }
    applyFact(state, fact);
  }
  return inputs;
}
