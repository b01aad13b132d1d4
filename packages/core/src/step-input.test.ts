import { expect, test } from 'vitest';
import { catalogue, graph, node } from '../test/graphs.ts';
import { simulate } from '../test/simulate.ts';
import type { Component } from './component.ts';
import type { Json } from './json.ts';
import { planRun } from './plan.ts';

/** What `m` is given behind branches of these names, the last of which has the highest priority. */
function given(type: string, names: readonly string[]): Json | undefined {
  const lines = [...names.map((name) => `hook -> ${name}`), ...names.map((name) => `${name} -> m`)];
  const nodes = [node('hook', 'start'), ...names.map((name) => node(name, 'step')), node('m', type)];
  const { edges } = graph(nodes, lines.join('\n'));
  const ranked = edges.map((edge) => ({ ...edge, priority: edge.sourceNodeId === names.at(-1) ? 1 : 0 }));
  const types = new Map([...catalogue, ['several', severalOf(catalogue.get('gather'))]]);
  const plan = planRun({ graph: { nodes, edges: ranked }, catalogue: types, triggerNodeId: 'hook' });
  const inputs = new Map<string, Json>();
  const outcome = (nodeId: string, input: Json) => {
    inputs.set(nodeId, input);
    return { value: nodeId };
  };
  // Whatever ends last is picked first.
  simulate({ plan, outcome, pick: (count) => count - 1 });
  return inputs.get('m');
}

function severalOf(gather: Component<never> | undefined): Component<never> {
  if (gather === undefined) throw new Error('the test catalogue has no gather');
  return { ...gather, type: 'several', gathers: 'several' };
}

test('of several predecessors a node is given an object keyed by node id', () => {
  expect(given('step', ['a', 'b'])).toEqual({ a: 'a', b: 'b' });
});

test('of one predecessor a node is given its value alone', () => {
  expect(given('step', ['a'])).toBe('a');
});

test('what gathers is given a list in the order of the edges: by priority, then by id, whichever ended first', () => {
  expect(given('gather', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
  expect(given('several', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
});

test('of one branch, what always gathers is given a list, and what gathers several the value', () => {
  expect(given('gather', ['a'])).toEqual(['a']);
  expect(given('several', ['a'])).toBe('a');
});
