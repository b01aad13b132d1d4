import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Graph, GraphEdge, GraphNode } from '../../state/graph.ts';
import { afterDeletion, type Direction, graphOrder, neighbour } from './navigation.ts';

function graph(places: Record<string, [x: number, y: number]>, edges: [from: string, to: string, label?: string][]) {
  return {
    nodes: Object.entries(places).map(
      ([name, [x, y]]) => ({ node_id: name, position_x: x, position_y: y }) as GraphNode,
    ),
    edges: edges.map(([source, target, label = '']) => {
      return { source_node_id: source, target_node_id: target, edge_label: label } as GraphEdge;
    }),
  } satisfies Graph;
}

/** hook → route → large, small → reply; `model` and `tool` hang below `large`; `note` is alone at the top right. */
const example = graph(
  {
    hook: [0, 0],
    route: [250, 0],
    large: [500, 0],
    small: [500, 200],
    model: [450, 140],
    tool: [600, 140],
    reply: [750, 0],
    note: [900, -300],
  },
  [
    ['hook', 'route'],
    ['route', 'large'],
    ['route', 'small'],
    ['large', 'reply'],
    ['small', 'reply'],
    ['model', 'large', 'llm'],
    ['tool', 'large', 'tool'],
  ],
);

it.each<[string, Direction, string | null]>([
  ['hook', 'downstream', 'route'],
  ['route', 'downstream', 'large'],
  ['reply', 'upstream', 'large'],
  ['small', 'upstream', 'route'],
  ['large', 'upstream', 'route'],
  ['large', 'nextSibling', 'small'],
  ['small', 'previousSibling', 'large'],
  ['small', 'downstream', 'reply'],
  ['model', 'downstream', 'large'],
  ['model', 'nextSibling', 'tool'],
  ['tool', 'previousSibling', 'model'],
  ['model', 'previousSibling', 'large'],
])('from %s %s is %s', (from, direction, to) => {
  expect(neighbour(example, from, direction)).toBe(to);
});

it('leads from the last sibling down to the nodes that fill the slots', () => {
  const alone = { ...example, edges: example.edges.filter(({ target_node_id: target }) => target !== 'small') };
  expect(neighbour(alone, 'large', 'nextSibling')).toBe('model');
});

it('leads to the nearest node where there is no edge', () => {
  expect(neighbour(example, 'reply', 'downstream')).toBe('note');
  expect(neighbour(example, 'note', 'upstream')).toBe('reply');
  expect(neighbour(example, 'hook', 'upstream')).toBeNull();
});

it('orders the nodes as they run, and cycles from the top', () => {
  expect(graphOrder(example)).toEqual(['note', 'hook', 'route', 'small', 'model', 'tool', 'large', 'reply']);
  const cycle = graph({ a: [0, 0], b: [100, 0], c: [200, 0] }, [
    ['a', 'b'],
    ['b', 'c', 'loop_body'],
    ['c', 'a'],
  ]);
  expect(graphOrder(cycle)).toEqual(['a', 'b', 'c']);
});

it('moves the focus along an edge when a node is deleted', () => {
  expect(afterDeletion(example, 'route', new Set(['route']))).toBe('large');
  expect(afterDeletion(example, 'reply', new Set(['reply']))).toBe('large');
  expect(afterDeletion(example, 'reply', new Set(['reply', 'large', 'small']))).toBe('tool');
  expect(afterDeletion(graph({ a: [0, 0] }, []), 'a', new Set(['a']))).toBeNull();
});

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const anyName = fc.constantFrom(...names);
const place = fc.integer({ min: -3, max: 3 });
const anyGraph = fc
  .record({
    places: fc.tuple(...names.map(() => fc.tuple(place, place))),
    edges: fc.array(fc.tuple(anyName, anyName, fc.constantFrom('', 'llm', 'loop_body', 'loop_return'))),
  })
  .map(({ places, edges }) =>
    graph(
      Object.fromEntries(names.map((name, index) => [name, places[index] ?? [0, 0]])),
      edges.filter(([from, to]) => from !== to),
    ),
  );

it('has every node once in the order of any graph, also in cycles', () => {
  fc.assert(
    fc.property(anyGraph, (any) => {
      expect(graphOrder(any).toSorted()).toEqual(names);
    }),
  );
});

it('gives the focus to a node that is left, whichever are deleted', () => {
  fc.assert(
    fc.property(anyGraph, anyName, fc.subarray(names), (any, from, others) => {
      const deleted = new Set([from, ...others]);
      const next = afterDeletion(any, from, deleted);
      expect(next === null ? names.length === deleted.size : !deleted.has(next)).toBe(true);
    }),
  );
});
