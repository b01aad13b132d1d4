import { describe, expect, it } from 'vitest';
import { graph, node } from '../../test/graphs.ts';
import { type Edge, isSameEdge, isSameNode, type Node } from './graph.ts';

const step = node('a', 'step', { text: 'x', list: [1, { deep: true }] });
const [edge] = graph([], 'a -> b').edges;

/** Copies of an object that differ in one field, for each of its fields. */
function changed<T extends object>(object: T): readonly (readonly [string, T])[] {
  return Object.keys(object).map((key) => [key, { ...object, [key]: { other: true } }]);
}

describe('two nodes are the same', () => {
  it('if all fields but their ids and times are equal', () => {
    const differing = changed<Node>(step).filter(([, other]) => !isSameNode(step, other));
    const keys = Object.keys(step).filter((key) => key !== 'id' && key !== 'updatedAt');
    expect(differing.map(([key]) => key)).toEqual(keys);
    const { id: _id, updatedAt: _moment, ...fields } = step;
    expect(isSameNode(step, fields)).toBe(true);
  });

  it('for any order of the keys of their configs', () => {
    const config = Object.fromEntries(Object.entries(step.config).reverse());
    expect(isSameNode(step, { ...step, config })).toBe(true);
  });
});

it('two edges are the same if all fields but their ids are equal', () => {
  if (edge === undefined) throw new Error('there is no edge');
  const differing = changed<Edge>(edge).filter(([, other]) => !isSameEdge(edge, other));
  expect(differing.map(([key]) => key)).toEqual(Object.keys(edge).filter((key) => key !== 'id'));
});
