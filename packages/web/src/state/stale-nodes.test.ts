import { expect, test } from 'vitest';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { staleNodes } from './stale-nodes.ts';

function node(name: string, settings: object = {}): GraphNode {
  return { node_id: name, component_type: 'template', config: { extra_config: settings } } as unknown as GraphNode;
}

function edge(text: string, label = ''): GraphEdge {
  const [source, target] = text.split(' ');
  return { source_node_id: source, target_node_id: target, edge_label: label } as unknown as GraphEdge;
}

const ran: Graph = {
  nodes: ['start', 'first', 'second', 'aside', 'model'].map((name) => node(name)),
  edges: [edge('start first'), edge('first second'), edge('start aside'), edge('model second', 'llm')],
};

function changed(name: string, settings: object): Graph {
  return { ...ran, nodes: ran.nodes.map((each) => (each.node_id === name ? node(name, settings) : each)) };
}

test('a node whose settings changed is stale, with the nodes after it', () => {
  expect(Object.fromEntries(staleNodes(ran, changed('first', { template: 'new' })))).toEqual({
    first: 'Its settings changed since this output.',
    second: 'first, before it, changed since this output.',
  });
});

test('the user of a changed sub-component is stale', () => {
  expect(staleNodes(ran, changed('model', { temperature: 1 })).get('second')).toBe(
    'model, which it uses, changed since this output.',
  );
});

test('a node with other connections, or behind a new node, is stale', () => {
  const rewired = { ...ran, edges: ran.edges.map((each) => (each === ran.edges[1] ? edge('aside second') : each)) };
  expect([...staleNodes(ran, rewired)]).toEqual([['second', 'Its connections changed since this output.']]);
});

test('a position, a label and an added pin make nothing stale; another pin does', () => {
  const moved = { ...ran, nodes: ran.nodes.map((each) => ({ ...each, position_x: 9, label: 'New' })) };
  expect(staleNodes(ran, moved).size).toBe(0);
  const pinned = changed('first', { pinned_output: { output: 1 } });
  expect(staleNodes(ran, pinned).size).toBe(0);
  expect(staleNodes(pinned, changed('first', { pinned_output: { output: 2 } })).get('first')).toBe(
    'Its pinned output changed since this output.',
  );
  expect(staleNodes(pinned, ran).size).toBe(2);
});
