import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../test/graphs.ts';
import { interpret, plain, seesInput, stepValue } from '../test/interpreter.ts';
import { type BlockNode, fateOf, nodesIn, type RandomWorld, randomWorld, sketchOf } from '../test/random-world.ts';
import { type Outcome, simulate, trigger } from '../test/simulate.ts';
import { faultsIn } from '../test/verdict.ts';
import type { Fact } from './history.ts';
import type { Json, JsonObject } from './json.ts';
import { planRun } from './plan.ts';
import { RunScope } from './run-scope.ts';
import { newRunState, type StepState } from './run-state.ts';
import { validateGraph } from './validate.ts';

/** How many graphs each law is tried on: enough here to meet every rule often. */
const numRuns = Number(process.env.MODEL_RUNS ?? 400);

const worlds = fc.gen().map((gen): RandomWorld => {
  const world = randomWorld((most) => gen(fc.nat, { max: most }));
  return Object.assign(world, { [fc.toStringMethod]: () => sketchOf(world) });
});
const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });

/** Runs a world by `advance` and the fold, its steps ending in the order that the picks say. */
function journalOf(world: RandomWorld, order: readonly number[]): readonly Fact[] {
  const plan = planRun({ graph: world.graph, catalogue, triggerNodeId: 'n0' });
  const nodes = new Map(nodesIn(world.root).map((node) => [node.nodeId, node]));
  const scope = new RunScope(newRunState(plan), { trigger, run: {} });
  let turn = 0;
  return simulate({
    plan,
    outcome(nodeId, input, step): Outcome {
      const node = nodes.get(nodeId);
      if (node === undefined) throw new Error(`there is no node ${nodeId}`);
      return deed(world, node, { input, step, loop: scope.in(step.frame).lookup('loop') ?? null });
    },
    pick: (count) => (order[turn++ % order.length] ?? 0) % count,
  });
}

interface Seen {
  readonly input: Json;
  readonly step: StepState;
  readonly loop: Json;
}

function deed(world: RandomWorld, node: BlockNode, { input, step, loop }: Seen): Outcome {
  const extra = step.node.common.extra_config;
  if (node.kind === 'loop') return { iterate: iterationOf(extra) };
  const { failures, route } = fateOf(world, node, step.frame.key);
  if (step.attempts < failures) return { fails: true };
  if (node.kind === 'switch') return { route };
  return { value: stepValue(node, node.kind !== 'start' && seesInput(extra) ? input : null, loop) };
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

/** The same world, in which each join waits for all. */
function withoutEagerJoins(world: RandomWorld): RandomWorld {
  const nodes = world.graph.nodes.map((node) => {
    const { join: _join, ...extra } = node.config.extra_config as JsonObject;
    return { ...node, config: { ...node.config, extra_config: extra } };
  });
  return { ...world, graph: { ...world.graph, nodes } };
}

/** What a journal says, without the order in which it came about. */
function sorted(journal: readonly Fact[]): readonly string[] {
  return journal.map((fact) => JSON.stringify(fact)).sort();
}

describe('a random graph', () => {
  test('runs as the plain interpreter says, whichever step ends first', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        expect(faultsIn(journalOf(world, order), interpret(world))).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('ends alike in every order, though its journal differs', () => {
    fc.assert(
      fc.property(worlds, picks, picks, (world, one, other) => {
        const [left, right] = [journalOf(world, one).at(-1), journalOf(world, other).at(-1)];
        expect(left).toMatchObject({ status: right?.kind === 'run_finished' ? right.status : null });
        if (left?.kind === 'run_finished' && right?.kind === 'run_finished' && left.status === 'completed') {
          expect(plain(left.output)).toEqual(plain(right.output));
        }
      }),
      { numRuns },
    );
  });

  test('writes the same facts in every order, where nothing takes what comes first and no failure stops what is beside it', () => {
    fc.assert(
      fc.property(worlds.map(withoutEagerJoins), picks, picks, (world, one, other) => {
        const { status, ends } = interpret(world);
        fc.pre(status === 'completed' && [...ends.values()].every(({ isCertain }) => isCertain));
        expect(sorted(journalOf(world, one))).toEqual(sorted(journalOf(world, other)));
      }),
      { numRuns },
    );
  });

  test('writes the same journal when its steps end in the same order', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        expect(journalOf(world, order)).toEqual(journalOf(world, order));
      }),
      { numRuns: numRuns / 4 },
    );
  });

  test('has loops that the check of graphs finds nothing wrong with', () => {
    fc.assert(
      fc.property(worlds, ({ graph }) => {
        const codes = validateGraph(graph, catalogue).map(({ code }) => code);
        expect(codes).not.toContain('loop_body');
        expect(codes).not.toContain('cycle');
      }),
      { numRuns: numRuns / 4 },
    );
  });
});
