import { describe, expect, it } from 'vitest';
import type { NodeType } from '../../api/node-types.ts';
import type { Graph, GraphEdge, GraphNode } from '../../state/graph.ts';
import { addOperations, fittingTypes } from '../add/quick-add.ts';
import { connectionsOf } from './connection-choices.ts';
import { ConnectionRules } from './connection-rules.ts';
import { edgeEnds } from './edge-ends.ts';

const port = (name: string, data_type: string) => ({
  ...{ name, data_type, description: '', required: false },
  ...{ text_only: false, supplied_by: [], typed_by: null },
});
const type = (component_type: string, parts: object): NodeType =>
  ({
    ...{ component_type, label: component_type, inputs: [], outputs: [], sub_inputs: [], executable: true },
    ...parts,
  }) as unknown as NodeType;
const step = { inputs: [port('input', 'any')], outputs: [port('output', 'any')] };
const types = Object.fromEntries(
  [
    type('template', step),
    type('loop', { inputs: [port('items', 'array')], outputs: [port('results', 'array')] }),
    type('agent', { ...step, sub_inputs: [port('model', 'llm'), port('tools', 'tool')] }),
    type('ai_model', { outputs: [port('model', 'llm')], executable: false }),
  ].map((entry) => [entry.component_type, entry]),
);
const node = (node_id: string, component_type: string, position_x = 0) =>
  ({
    ...{ node_id, component_type, position_x, position_y: 0, config: { extra_config: {} } },
    updated_at: '2026-01-01T00:00:00.000000',
  }) as unknown as GraphNode;
const edge = (id: number, source_node_id: string, target_node_id: string, edge_label = '') =>
  ({ ...{ id, source_node_id, target_node_id, edge_label }, edge_type: 'direct', condition_value: '' }) as GraphEdge;
const graph: Graph = {
  nodes: [node('each', 'loop'), node('text', 'template', 280), node('answer', 'agent', 560), node('gpt', 'ai_model')],
  edges: [edge(1, 'each', 'text', 'loop_body'), edge(2, 'text', 'answer')],
};
const rules = new ConnectionRules(graph, types);
const from = (nodeId: string, given = 'out', kind: 'source' | 'target' = 'source') => ({ nodeId, port: given, kind });

describe('a connection', () => {
  it('is rejected with the reason of the service', () => {
    const rejection = rules.rejection(from('gpt'), from('text', 'in', 'target'));
    expect(rejection).toBe(
      "Source type 'ai_model' output 'model' (llm) is not compatible with target 'template' input 'input' (any)",
    );
    expect(rules.rejection(from('text'), from('answer', 'in', 'target'))).toContain('already exists');
    expect(rules.rejection(from('gpt'), from('each', 'return', 'target'))).toContain('Only a step');
    expect(rules.rejection(from('text'), from('answer', 'out', 'source'))).toContain('from an output to an input');
  });

  it('that ends on a card gets the port that fits', () => {
    expect(rules.portFor(from('gpt'), 'answer')).toEqual({ port: 'model' });
    expect(rules.portFor(from('each'), 'answer')).toEqual({ port: 'in' });
    expect(rules.portFor(from('gpt'), 'text')).toHaveProperty('rejection');
  });

  it('from the body of a loop to the loop leads back to it', () => {
    expect(rules.portFor(from('answer'), 'each')).toEqual({ port: 'return' });
    expect(rules.portFor(from('text', 'in', 'target'), 'each')).toEqual({ port: 'out' });
  });
});

describe('a node that is added', () => {
  const context = { graph, types };
  const agent = types.agent as NodeType;
  const template = types.template as NodeType;

  it('to a slot has a type that fits it', () => {
    const request = { from: from('answer', 'model', 'target') };
    expect(Object.keys(fittingTypes(request, context))).toEqual(['ai_model']);
  });

  it('after a port is connected to it', () => {
    const { operations, nodeId } = addOperations(agent, { from: from('text') }, context);
    const created = { source_node_id: 'text', target_node_id: nodeId };
    expect(operations.at(-1)).toEqual({ op: 'create_edge', edge: created });
  });

  it('into a connection gets both ends, and the nodes behind it make room', () => {
    const request = { edge: graph.edges[1] as GraphEdge };
    const { operations, nodeId } = addOperations(template, request, context);
    expect(operations).toEqual([
      { op: 'update_node', node_id: 'answer', changes: { position_x: 840 } },
      { op: 'create_node', node: expect.objectContaining({ node_id: nodeId, position_x: 560, position_y: 0 }) },
      { op: 'update_edge', edge_id: 2, changes: { target_node_id: nodeId } },
      { op: 'create_edge', edge: { source_node_id: nodeId, target_node_id: 'answer' } },
    ]);
  });

  it('into a connection is never one that only fills slots', () => {
    expect(Object.keys(fittingTypes({ edge: graph.edges[1] as GraphEdge }, context))).not.toContain('ai_model');
  });
});

it('everything that a node can be connected to is listed by port, with the reason for each other node', () => {
  const listed = (nodeId: string) => {
    const { ports, rejected } = connectionsOf(graph, types, nodeId);
    const choices = ports.map(({ name, choices }) => [name, ...choices.map(({ text }) => text)]);
    return { choices, rejected: rejected.map(({ nodeId: name, reason }) => [name, reason]) };
  };
  expect(listed('answer').choices).toEqual([
    ['From the output', 'each › input', 'each › next', 'text › input'],
    ['Into the slot model', 'gpt › output'],
    ['Into the slot tools'],
    ['If it fails', 'text › input'],
  ]);
  expect(listed('gpt')).toEqual({
    choices: [['Into a slot', 'answer › model']],
    rejected: [
      ['each', expect.stringContaining('only fills slots')],
      ['text', expect.stringContaining('only fills slots')],
    ],
  });
});

it.each([
  [edge(1, 'each', 'text', 'loop_body'), 'each › each item', 'text › input'],
  [edge(2, 'text', 'each', 'loop_return'), 'text › output', 'each › next'],
  [edge(3, 'gpt', 'answer', 'llm'), 'gpt › output', 'answer › model'],
  [{ ...edge(4, 'text', 'answer'), condition_value: 'large' }, 'text › large', 'answer › input'],
])('the ends of an edge have names for people: %#', (one, from, to) => {
  expect(edgeEnds(one, graph)).toEqual({ from, to });
});
