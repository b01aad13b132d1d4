import { describe, expect, test } from 'vitest';
import type { NodeType } from '../api/node-types.ts';
import type { Graph } from './graph.ts';
import { slotsOf } from './slots.ts';

const type = {
  sub_inputs: [
    { name: 'model', required: true },
    { name: 'tools', required: false },
    { name: 'memory', required: false },
  ],
} as unknown as NodeType;
const edge = (source: string, target: string, label: string) => ({
  source_node_id: source,
  target_node_id: target,
  edge_label: label,
});
const graph = {
  nodes: [{ node_id: 'ai' }, { node_id: 'gpt' }, { node_id: 'calc' }, { node_id: 'clock' }],
  edges: [
    edge('gpt', 'ai', 'llm'),
    edge('clock', 'ai', 'tool'),
    edge('calc', 'ai', 'tool'),
    edge('calc', 'other', 'tool'),
    edge('start', 'ai', ''),
    edge('unknown', 'ai', 'memory'),
  ],
} as unknown as Graph;

describe('the slots of a node', () => {
  test('hold the nodes that are connected to them, in the order of connection', () => {
    const slots = slotsOf(graph, 'ai', type).map(({ name, held }) => [name, held.map(({ node }) => node.node_id)]);
    expect(slots).toEqual([
      ['model', ['gpt']],
      ['tools', ['clock', 'calc']],
      ['memory', []],
    ]);
    expect(slotsOf(graph, 'ai', type)[0]?.isRequired).toBe(true);
  });

  test('are none for a type without slots, and for an unknown one', () => {
    expect(slotsOf(graph, 'calc', { sub_inputs: [] } as unknown as NodeType)).toEqual([]);
    expect(slotsOf(graph, 'ai', undefined)).toEqual([]);
  });
});
