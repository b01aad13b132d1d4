import { expect, test } from 'vitest';
import { loopBodies } from './loop-bodies.ts';

const edge = (source: string, target: string, label = '') => ({
  source_node_id: source,
  target_node_id: target,
  edge_label: label,
});
const bodiesOf = (...edges: ReturnType<typeof edge>[]) =>
  Object.fromEntries([...loopBodies(edges)].map(([loop, body]) => [loop, [...body].toSorted()]));

test('the body of a loop has the steps from its body edge to its return, and their parts', () => {
  expect(
    bodiesOf(
      edge('start', 'each'),
      edge('each', 'agent', 'loop_body'),
      edge('model', 'agent', 'llm'),
      edge('agent', 'mail'),
      edge('mail', 'each', 'loop_return'),
      edge('each', 'after'),
    ),
  ).toEqual({ each: ['agent', 'mail', 'model'] });
});

test('a loop inside another belongs to the body of both, with its own body', () => {
  expect(
    bodiesOf(
      edge('outer', 'inner', 'loop_body'),
      edge('inner', 'work', 'loop_body'),
      edge('work', 'inner', 'loop_return'),
      edge('inner', 'last'),
      edge('last', 'outer', 'loop_return'),
    ),
  ).toEqual({ outer: ['inner', 'last', 'work'], inner: ['work'] });
});

test('a loop whose body is not closed yet ends where its steps end, and a cycle ends the search', () => {
  expect(bodiesOf(edge('each', 'a', 'loop_body'), edge('a', 'b'), edge('b', 'a'))).toEqual({ each: ['a', 'b'] });
  expect(bodiesOf(edge('a', 'b'))).toEqual({});
});
