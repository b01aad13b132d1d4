import type { Trigger } from './execution.ts';
import { applyFact } from './fold.ts';
import type { JournalEntry, StandingEntry } from './history.ts';
import type { Json } from './json.ts';
import type { Plan, PlanEdge } from './plan.ts';
import { standingEntries } from './retried-journal.ts';
import { newRunState, type StepState, stepAt } from './run-state.ts';

/** What a trigger node is given. */
export function triggerInput(trigger: Trigger): Json {
  const { payload, text, headers = {}, query = {}, sessionId } = trigger;
  return { payload, text, headers, query, ...(sessionId !== undefined && { session_id: sessionId }) };
}

/**
 * A node's input: the first output of its taken predecessor; of several, an object keyed by node id, or a list in
 * edge order for components that gather.
 */
export function inputOf(step: StepState, trigger: Trigger): Json {
  const edges = step.inputEdges;
  if (edges.length === 0) return triggerInput(trigger);
  const values = edges.map((edge) => valueAlong(edge, step));
  const { gathers } = step.node.component;
  if (gathers === 'always' || (gathers === 'several' && values.length > 1)) return values;
  if (values.length === 1) return values[0] ?? null;
  return Object.fromEntries(edges.map((edge, index) => [edge.source, values[index] ?? null]));
}

/** Into the body of a loop leads the item. */
function valueAlong(edge: PlanEdge, { frame }: StepState): Json {
  if (edge.leads !== 'in') return frame.steps.get(edge.source)?.value ?? null;
  return frame.iteration?.loop.items[frame.iteration.index] ?? null;
}

/** For each journaled step the input it was given, by seq: derived from the journal, which stores no value twice. */
export function inputsOf(plan: Plan, trigger: Trigger, entries: readonly JournalEntry[]): ReadonlyMap<number, Json> {
  const inputs = new Map<number, Json>();
  // What a retry took back was given its input by the entries that counted before.
  for (const [index, { fact }] of entries.entries()) {
    if (fact.kind === 'run_retried')
      gatherInputs({ plan, trigger, entries: standingEntries(entries.slice(0, index)) }, inputs);
  }
  gatherInputs({ plan, trigger, entries: standingEntries(entries) }, inputs);
  return inputs;
}

interface Given {
  readonly plan: Plan;
  readonly trigger: Trigger;
  readonly entries: readonly StandingEntry[];
}

function gatherInputs({ plan, trigger, entries }: Given, inputs: Map<number, Json>): void {
  const state = newRunState(plan);
  for (const { seq, fact } of entries) {
    if (fact.kind !== 'run_finished') {
      const step = stepAt(state, fact);
      inputs.set(seq, step === undefined || fact.kind === 'step_skipped' ? null : inputOf(step, trigger));
    }
    applyFact(state, fact);
  }
}
