import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue, node } from '../test/graphs.ts';
import { type Outcome, simulate } from '../test/simulate.ts';
import type { Edge, Graph } from './graph.ts';
import type { Fact } from './history.ts';
import { planRun } from './plan.ts';

/**
 * A second opinion on what runs: a plain interpreter of acyclic graphs that knows no journal, no fold and no decision.
 * It walks the nodes in topological order (their numbers are one) and says of each whether it ran, failed or was skipped.
 */
function interpret(graph: Graph, outcomes: ReadonlyMap<string, Outcome>): ReadonlyMap<string, string> {
  const fates = new Map<string, string>();
  for (const { nodeId, config, componentType } of graph.nodes) {
    const incoming = graph.edges.filter((edge) => edge.targetNodeId === nodeId);
    const reached = incoming.filter((edge) => fates.has(edge.sourceNodeId));
    if (componentType !== 'start' && reached.length === 0) continue;
    const taken = reached.filter((edge) => carries(edge, fates, outcomes)).length;
    const extra = config.extra_config as { join?: 'any' | { count: number } };
    const needed = typeof extra.join === 'object' ? extra.join.count : 1;
    if (componentType !== 'start' && taken < needed) fates.set(nodeId, 'skipped');
    else fates.set(nodeId, 'fails' in (outcomes.get(nodeId) ?? {}) ? 'failed' : 'succeeded');
  }
  return fates;
}

function carries(edge: Edge, fates: ReadonlyMap<string, string>, outcomes: ReadonlyMap<string, Outcome>): boolean {
  const fate = fates.get(edge.sourceNodeId);
  if (edge.edgeLabel === 'error') return fate === 'failed';
  if (fate !== 'succeeded') return false;
  const outcome = outcomes.get(edge.sourceNodeId);
  return (
    edge.edgeType === 'direct' || (outcome !== undefined && 'route' in outcome && outcome.route === edge.conditionValue)
  );
}

interface World {
  readonly graph: Graph;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly picks: readonly number[];
}

const kind = fc.constantFrom('step', 'step', 'switch', 'gather');
const routes = ['x', 'y'];

/** Graphs whose edges lead from lower to higher numbers; every failing step has an error edge, so that no run ends early. */
const worlds: fc.Arbitrary<World> = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc
    .record({
      kinds: fc.array(kind, { minLength: size, maxLength: size }),
      joins: fc.array(fc.constantFrom('all', 'any', 2), { minLength: size, maxLength: size }),
      fails: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
      taking: fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: size, maxLength: size }),
      links: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.constantFrom('x', 'y', 'error', '')), {
        maxLength: 20,
      }),
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
    })
    .map(({ kinds, joins, fails, taking, links, picks }) => {
      const types = kinds.map((type, index) => (index === 0 ? 'start' : type));
      const edges = links
        .filter(([a, b]) => a < b)
        .map(([a, b, mark], index): Edge => {
          const conditional = types[a] === 'switch' && routes.includes(mark);
          return {
            id: index + 1,
            sourceNodeId: `n${a}`,
            targetNodeId: `n${b}`,
            edgeType: conditional ? 'conditional' : 'direct',
            edgeLabel: mark === 'error' && a > 0 ? 'error' : '',
            conditionMapping: null,
            conditionValue: conditional ? mark : '',
            priority: 0,
          };
        });
      const nodes = types.map((type, index) => {
        const join = joins[index];
        return node(`n${index}`, type, { join: typeof join === 'number' ? { count: join } : (join ?? 'all') });
      });
      const outcomes = new Map(
        types.map((type, index): [string, Outcome] => {
          const hasErrorEdge = edges.some((edge) => edge.sourceNodeId === `n${index}` && edge.edgeLabel === 'error');
          if (fails[index] && hasErrorEdge) return [`n${index}`, { fails: true }];
          return [`n${index}`, type === 'switch' ? { route: taking[index] ?? 'x' } : { value: index }];
        }),
      );
      return { graph: { nodes, edges }, outcomes, picks };
    }),
);

const fateOf = {
  step_succeeded: 'succeeded',
  step_failed: 'failed',
  step_skipped: 'skipped',
  step_paused: '-',
  step_resumed: '-',
} as const;

test('every graph runs as the plain interpreter says, whichever step ends first, and no node runs twice', () => {
  fc.assert(
    fc.property(worlds, ({ graph, outcomes, picks }) => {
      const plan = planRun({ graph, catalogue, triggerNodeId: 'n0' });
      let turn = 0;
      const journal: Fact[] = simulate({
        plan,
        outcome: (nodeId) => outcomes.get(nodeId) ?? { value: null },
        pick: (count) => (picks[turn++ % picks.length] ?? 0) % count,
      });
      const steps = journal.filter((fact) => fact.kind !== 'run_finished' && fact.kind !== 'loop_started');
      expect(new Set(steps.map((fact) => fact.nodeId)).size).toBe(steps.length);
      const fates = new Map(steps.map((fact) => [fact.nodeId, fateOf[fact.kind]]));
      expect(Object.fromEntries(fates)).toEqual(Object.fromEntries(interpret(graph, outcomes)));
      expect(journal.at(-1)).toMatchObject({ kind: 'run_finished', status: 'completed' });
    }),
    { numRuns: 500 },
  );
});
