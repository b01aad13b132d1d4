import type { Meter, SlicedWork } from '../base/meter.ts';
import { converted } from '../component/ports.ts';
import { argumentsOf } from '../component/tools/calls.ts';
import type { Json } from '../json.ts';
import type { Trigger } from './execution.ts';
import type { PlanEdge } from './plan.ts';
import type { StepState } from './run-state.ts';

/** The input of a trigger node. */
function triggerInput(trigger: Trigger): Json {
  const { payload, text, headers = {}, query = {}, sessionId } = trigger;
  return { payload, text, headers, query, ...(sessionId !== undefined && { session_id: sessionId }) };
}

/**
 * A node's input, converted to the type of its port: the first output of its taken predecessor; of several, an object
 * keyed by node id, or a list in edge order for components that gather. Null where the node's config supplies it. For a
 * call, its arguments.
 * @throws StepError `work_limit` if a large value has to be converted
 */
export function* inputOf(step: StepState, trigger: Trigger, meter?: Meter): SlicedWork<Json> {
  if (step.frame.call !== null) return argumentsOf(step.frame.call.of.all, step.frame.call.index);
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
  return port === undefined ? value : yield* converted(value, port, meter);
}

/** The value that an edge passes on: the current item on an edge into a loop's body, else the output of its source. */
function valueAlong(edge: PlanEdge, { frame }: StepState): Json {
  if (edge.leads !== 'in') return frame.steps.get(edge.source)?.value ?? null;
  return frame.iteration?.loop.items[frame.iteration.index] ?? null;
}
