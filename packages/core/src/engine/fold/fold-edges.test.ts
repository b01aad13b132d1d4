import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { type Outcome, simulate } from '../../../test/simulate.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Fact } from '../journal/history.ts';
import { planRun } from '../plan.ts';

const path = (journal: readonly Fact[]): string[] =>
  journal.map((fact) =>
    fact.kind === 'run_finished' ? fact.status : `${fact.kind === 'step_skipped' ? '-' : ''}${fact.nodeId}`,
  );
const outputOf = (journal: readonly Fact[], nodeId: string): Json | undefined =>
  journal.flatMap((fact) => (fact.kind === 'step_succeeded' && fact.nodeId === nodeId ? [fact.outputs.output] : []))[0];

/** Three branches that join in `m`; they end in the order of the picks. */
function joined(join: Json, picks: readonly number[]): readonly Fact[] {
  const nodes = ['a', 'b', 'c'].map((name) => node(name, 'step'));
  const plan = planRun({
    graph: graph(
      [node('hook', 'start'), ...nodes, node('m', 'gather', { join })],
      'hook -> a\nhook -> b\nhook -> c\na -> m\nb -> m\nc -> m',
    ),
    catalogue,
    triggerNodeId: 'hook',
  });
  const order = [0, ...picks];
  const outcome = (nodeId: string, input: Json): Outcome => ({ value: nodeId === 'm' ? input : nodeId });
  return simulate({ plan, outcome, pick: () => order.shift() ?? 0 });
}

describe('a join', () => {
  test('of all waits for every branch in any order', () => {
    const journal = joined('all', [2, 1, 0]);
    expect(path(journal)).toEqual(['hook', 'c', 'b', 'a', 'm', 'completed']);
    expect(outputOf(journal, 'm')).toEqual(['a', 'b', 'c']);
  });

  test('of any runs the node for the first branch, and not again for the others', () => {
    const journal = joined('any', [1, 2, 0]);
    expect(path(journal)).toEqual(['hook', 'b', 'm', 'a', 'c', 'completed']);
    expect(outputOf(journal, 'm')).toEqual(['b']);
  });

  test('of a count runs the node once when that many edges are taken, with their values, and not again', () => {
    const journal = joined({ count: 2 }, [2, 0, 1]);
    expect(path(journal)).toEqual(['hook', 'c', 'a', 'm', 'b', 'completed']);
    expect(outputOf(journal, 'm')).toEqual(['a', 'c']);
  });
});

/** A switch with the routes x and y; `mapping` is the legacy mapping of both edges. */
function switched(route: string, mapping: Record<string, string> | null, config: JsonObject = {}): string[] {
  const base = graph(
    [node('hook', 'start'), node('s', 'switch', config), node('a', 'step'), node('b', 'step'), node('o', 'step')],
    'hook -> s\ns -[x]-> a\ns -[y]-> b\ns -[__other__]-> o',
  );
  const edges = base.edges.map((edge) =>
    edge.edgeType === 'conditional' ? { ...edge, conditionMapping: mapping } : edge,
  );
  const plan = planRun({ graph: { ...base, edges }, catalogue, triggerNodeId: 'hook' });
  const journal = simulate({ plan, outcome: (id) => (id === 's' ? { route } : { value: 1 }) });
  return path(journal).filter((name) => ['a', 'b', 'o'].includes(name));
}

describe('the edges of a switch', () => {
  const fallback = { enable_fallback: true };

  test.each([
    ['by value, before the mapping says another', 'x', { x: 'b' }, fallback, ['a']],
    ['by the mapping, before the fallback', 'z', { z: 'b' }, fallback, ['b']],
    ['to nowhere, where the mapping ends the branch, before the fallback', 'z', { z: '__end__' }, fallback, []],
    ['by the fallback, where it is enabled', 'z', null, fallback, ['o']],
    ['by the fallback, where the mapping does not have the route', 'z', { other: 'a' }, fallback, ['o']],
    ['to nowhere, where nothing matches and there is no fallback', 'z', null, {}, []],
    ['by no name that objects inherit', 'constructor', { other: 'a' }, {}, []],
  ])('are taken %s', (_how, route, mapping, config, taken) => {
    expect(switched(route, mapping, config)).toEqual(taken);
  });
});
