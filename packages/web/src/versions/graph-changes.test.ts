import { describe, expect, it } from 'vitest';
import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';
import { countOf, graphChanges } from './graph-changes.ts';

const node = (id: number, fields: Partial<GraphNode> = {}, extra: object = {}): GraphNode => ({
  id,
  node_id: `node_${id}`,
  label: null,
  component_type: 'template',
  is_entry_point: false,
  interrupt_before: false,
  interrupt_after: false,
  position_x: 0,
  position_y: 0,
  config: { extra_config: extra } as unknown as GraphNode['config'],
  subworkflow_id: null,
  code_block_id: null,
  updated_at: '2026-01-01T00:00:00',
  schedule_job: null,
  ...fields,
});

const edge = (id: number, source: number, target: number, fields: Partial<GraphEdge> = {}): GraphEdge => ({
  id,
  source_node_id: `node_${source}`,
  target_node_id: `node_${target}`,
  edge_type: 'direct',
  edge_label: '',
  condition_mapping: null,
  condition_value: '',
  priority: 0,
  ...fields,
});

const before: Graph = { nodes: [node(1, {}, { template: 'a' }), node(2), node(3)], edges: [edge(1, 1, 2)] };

describe('the changes between two versions', () => {
  it('are none for the same graph, whatever the times and ids of its objects', () => {
    const same = { nodes: before.nodes.map((one) => ({ ...one, updated_at: '2027' })), edges: [edge(9, 1, 2)] };
    expect(graphChanges(before, same)).toEqual({ nodes: [], edges: [], moved: 0 });
  });

  it('are added, removed and changed nodes with their settings', () => {
    const after = { nodes: [node(1, {}, { template: 'b' }), node(2), node(4)], edges: before.edges };
    expect(graphChanges(before, after).nodes).toMatchObject([
      { kind: 'removed', node: { id: 3 }, after: null },
      { kind: 'changed', before: { template: 'a' }, after: { template: 'b' } },
      { kind: 'added', node: { id: 4 }, before: null },
    ]);
  });

  it('count nodes that only moved, without listing them', () => {
    const after = { ...before, nodes: before.nodes.map((one) => ({ ...one, position_x: 8 })) };
    expect(graphChanges(before, after)).toEqual({ nodes: [], edges: [], moved: 3 });
    expect(countOf(graphChanges(before, after))).toBe(3);
  });

  it('are edges as in YAML', () => {
    const route = edge(2, 1, 3, { edge_type: 'conditional', condition_value: 'big', priority: 2 });
    expect(graphChanges(before, { ...before, edges: [route] }).edges).toEqual([
      { kind: 'removed', text: 'node_1 -> node_2' },
      { kind: 'added', text: 'node_1 -[big]-> node_3 (priority 2)' },
    ]);
  });

  it('show a renamed node as one change', () => {
    const after = { ...before, nodes: [node(1, { node_id: 'hello' }, { template: 'a' }), node(2), node(3)] };
    const { nodes } = graphChanges(before, after);
    expect(nodes).toMatchObject([{ kind: 'changed', before: { id: 'node_1' }, after: { id: 'hello' } }]);
  });
});
