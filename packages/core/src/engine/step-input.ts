import { converted } from '../component/ports.ts';
import type { Json } from '../json.ts';
import type { Trigger } from './execution.ts';
import { applyFact } from './fold/fold.ts';
import type { JournalEntry } from './journal/history.ts';
import { standingEntries } from './journal/retried-journal.ts';
import type { Plan, PlanEdge } from './plan.ts';
import { newRunState, type StepState, stepAt } from './run-state.ts';

/** The input of a trigger node. */
function triggerInput(trigger: Trigger): Json {
  const { payload, text, headers = {}, query = {}, sessionId } = trigger;
  return { payload, text, headers, query, ...(sessionId !== undefined && { session_id: sessionId }) };
}

/**
 * A node's input, converted to the type of its port: the first output of its taken predecessor; of several, an object
 * keyed by node id, or a list in edge order for components that gather. Null if the node's config supplies it.
 */
export function inputOf(step: StepState, trigger: Trigger): Json {
  const edges = step.inputEdges;
  if (edges.length === 0) return triggerInput(trigger);
  if (step.node.suppliesOwnInput) return null;
  const values = edges.map((edge) => valueAlong(edge, step));
  const { gathers, inputs } = step.node.component;
  if (gathers === 'always' || (gathers === 'several' && values.length > 1)) return values;
  const [only = null] = values;
  const value =
    values.length === 1 ? only : Object.fromEntries(edges.map((edge, index) => [edge.source, values[index] ?? null]));
  const [port] = inputs;
  return port === undefined ? value : converted(value, port);
}

/** An edge into the body of a loop carries the item. */
function valueAlong(edge: PlanEdge, { frame }: StepState): Json {
  if (edge.leads !== 'in') return frame.steps.get(edge.source)?.value ?? null;
  return frame.iteration?.loop.items[frame.iteration.index] ?? null;
}

/** The input of each journaled step, by seq: derived from the journal, which stores no value twice. */
export function inputsOf(plan: Plan, trigger: Trigger, entries: readonly JournalEntry[]): ReadonlyMap<number, Json> {
  const standing = new Set(standingEntries(entries).map(({ seq }) => seq));
  const { inputs, lost } = readInputs({ plan, trigger, entries, counts: (seq) => standing.has(seq) });
  if (lost.size === 0) return inputs;
  for (const [index, { fact }] of entries.entries()) {
    if (fact.kind !== 'run_retried') continue;
    const taken = fact.revoked.filter((seq) => lost.has(seq));
    if (taken.length === 0) continue;
    const before = readInputs({ plan, trigger, entries: standingEntries(entries.slice(0, index)), counts: () => true });
    for (const seq of taken) inputs.set(seq, before.inputs.get(seq) ?? null);
  }
  return inputs;
}

interface Reading {
  readonly plan: Plan;
  readonly trigger: Trigger;
  readonly entries: readonly JournalEntry[];
  /** Whether the fact with this number becomes part of the state. */
  readonly counts: (seq: number) => boolean;
}

/**
 * Reads all inputs in one fold. The input of a revoked step follows from the facts before it that still count, because
 * a retry revokes nothing that the step depends on, unless it revokes a whole loop: `lost` are the steps in such loops.
 */
function readInputs({ plan, trigger, entries, counts }: Reading) {
  const state = newRunState(plan);
  const inputs = new Map<number, Json>();
  const lost = new Set<number>();
  for (const { seq, fact } of entries) {
    if (fact.kind === 'run_retried') continue;
    if (fact.kind !== 'run_finished') {
      const step = stepAt(state, fact);
      if (!counts(seq) && (step === undefined || step.phase === 'waiting')) lost.add(seq);
      else inputs.set(seq, step === undefined || fact.kind === 'step_skipped' ? null : inputOf(step, trigger));
    }
    if (counts(seq)) applyFact(state, fact);
  }
  return { inputs, lost };
}
