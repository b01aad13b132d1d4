import fc from 'fast-check';
import type { Fact } from '../src/engine/journal/history.ts';
import { type Plan, planRun } from '../src/engine/plan.ts';
import { RunScope } from '../src/engine/run-scope.ts';
import { newRunState, type StepState } from '../src/engine/run-state.ts';
import type { Json, JsonObject } from '../src/json.ts';
import { catalogue } from './graphs.ts';
import { seesInput } from './interpreter.ts';
import { type BlockNode, nodesIn, plannedOutcomeOf, type RandomWorld, randomWorld, sketchOf } from './random-world.ts';
import { type Outcome, type Simulation, simulate, trigger } from './simulate.ts';
import { stepValue } from './step-value.ts';

/** Random graphs without waits. */
export const worlds = fc.gen().map((gen): RandomWorld => {
  const world = randomWorld((most) => gen(fc.nat, { max: most }));
  return Object.assign(world, { [fc.toStringMethod]: () => sketchOf(world) });
});
/** Which of the steps in progress ends next, each time. */
export const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });

/** The plan for runs of a world. */
export function planOf({ graph }: RandomWorld): Plan {
  return planRun({ graph, catalogue, triggerNodeId: 'n0' });
}

/** The initial journal of a run, and its limits. */
interface RunOptions {
  readonly begun?: readonly Fact[];
  readonly maxSteps?: number;
}

/** Runs a world with `advance` and the fold; the picks determine the order in which its steps end. */
export function journalOf(world: RandomWorld, order: readonly number[], options: RunOptions = {}): readonly Fact[] {
  const { begun = [], ...limits } = options;
  const plan = planOf(world);
  const nodes = new Map(nodesIn(world.root).map((node) => [node.nodeId, node]));
  const scope = new RunScope(newRunState(plan), { trigger, run: {} });
  let turn = 0;
  const simulation: Simulation = {
    plan,
    ...limits,
    outcome(nodeId, input, step): Outcome {
      const node = nodes.get(nodeId);
      if (node === undefined) throw new Error(`there is no node ${nodeId}`);
      return action(world, node, { input, step, loop: scope.in(step.frame).lookup('loop') ?? null });
    },
    pick: (count) => (order[turn++ % order.length] ?? 0) % count,
  };
  return simulate(simulation, begun);
}

interface Seen {
  readonly input: Json;
  readonly step: StepState;
  readonly loop: Json;
}

function action(world: RandomWorld, node: BlockNode, { input, step, loop }: Seen): Outcome {
  const extra = step.node.common.extra_config;
  if (node.kind === 'loop') return { iterate: iterationOf(extra) };
  const { failures, route } = plannedOutcomeOf(world, node, step.frame.key);
  if (step.attempts < failures) return { fails: true };
  const seen = node.kind !== 'start' && seesInput(extra) ? input : null;
  return node.kind === 'switch' ? { route, value: seen } : { value: stepValue(node, seen, loop) };
}

function iterationOf({ items, concurrency, on_error, batch_size }: JsonObject) {
  const all = items as readonly Json[];
  const size = typeof batch_size === 'number' ? batch_size : null;
  const batches = Array.from({ length: Math.ceil(all.length / (size ?? 1)) }, (_none, index) =>
    size === null ? (all[index] ?? null) : all.slice(index * size, (index + 1) * size),
  );
  return {
    items: batches,
    concurrency: Number(concurrency),
    onItemError: on_error === 'continue' ? 'continue' : 'stop',
  } as const;
}
