import type { PlanEdge, PlanNode } from '../plan.ts';
import { openStep, type RunState, type StepState } from '../run-state.ts';

/** Decides the outgoing edges of a step that has ended, and updates the nodes that they lead to. */
export function decideEdges(state: RunState, step: StepState, isTaken: (edge: PlanEdge) => boolean): void {
  for (const edge of step.node.outgoing) {
    const taken = isTaken(edge);
    if (taken) step.taking += 1;
    const target = edge.leads === 'on' ? step.frame.steps.get(edge.target) : undefined;
    if (target !== undefined) decideEdge(state, target, edge, taken);
    else if (taken) step.frame.returned.push(edge);
  }
}

/** Decides one edge that leads to a step. */
export function decideEdge(state: RunState, target: StepState, edge: PlanEdge, isTaken: boolean): void {
  if (isTaken) target.taken.push(edge);
  else target.dead += 1;
  if (target.phase === 'waiting') join(state, target);
}

function join(state: RunState, step: StepState): void {
  const { incoming, policies } = step.node;
  const undecided = incoming.length - step.taken.length - step.dead;
  const rule = policies.join ?? 'all';
  const needed = rule === 'all' ? Math.max(1, incoming.length - step.dead) : rule === 'any' ? 1 : rule.count;
  if (step.taken.length >= needed) {
    const taken = new Set(step.taken);
    step.inputEdges = incoming.filter((edge) => taken.has(edge));
    openStep(state, step, 'ready');
  } else if (step.taken.length + undecided < needed) {
    openStep(state, step, 'skipping');
  }
}

/** The conditional edges that a switch's route takes: by value, else by legacy mapping, else the fallback. */
export function routedEdges(node: PlanNode, route: string | undefined): ReadonlySet<PlanEdge> {
  if (route === undefined) return new Set();
  const conditional = node.outgoing.filter((edge) => edge.kind === 'conditional');
  const byValue = conditional.filter((edge) => edge.conditionValue === route);
  if (byValue.length > 0) return new Set(byValue);
  const mapped = conditional.map((edge) => edge.conditionMapping?.get(route)).find((target) => target !== undefined);
  // `__end__` is not a node, so a branch mapped to it takes no edge.
  if (mapped !== undefined) return new Set(conditional.filter((edge) => edge.target === mapped));
  const fallback = node.common.extra_config.enable_fallback === true;
  return new Set(fallback ? conditional.filter((edge) => edge.conditionValue === '__other__') : []);
}

/** The handling of a node's final failure. Without a setting in its config, an existing error edge is taken. */
export function onErrorOf(node: Pick<PlanNode, 'policies' | 'outgoing'>): 'stop' | 'continue' | 'route' {
  const hasErrorEdge = node.outgoing.some((edge) => edge.kind === 'error');
  const wanted = node.policies.on_error ?? (hasErrorEdge ? 'route' : 'stop');
  return wanted === 'route' && !hasErrorEdge ? 'stop' : wanted;
}
