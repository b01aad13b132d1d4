import { describe, expect, test } from 'vitest';
import type { Graph, GraphNode } from '../state/graph.ts';
import { nodeRestoration } from './node-restoration.ts';

const node = (changes: Partial<GraphNode>): GraphNode =>
  ({
    ...{ id: 1, node_id: 'reply', component_type: 'template', label: null, is_entry_point: false },
    ...{ interrupt_before: false, interrupt_after: false, position_x: 10, position_y: 20 },
    ...{ subworkflow_id: null, code_block_id: null, config: { extra_config: { template: 'First' } } },
    ...changes,
  }) as GraphNode;
const graph = (...nodes: GraphNode[]): Graph => ({ nodes, edges: [] });

describe('the restoration of a node', () => {
  test('gives back its name and its settings, and removes settings that were added since', () => {
    const now = node({ node_id: 'answer', config: { extra_config: { template: 'Second', extra: 1 } } as never });
    expect(nodeRestoration(node({}), graph(now))).toMatchObject({
      op: 'update_node',
      node_id: 'answer',
      changes: { node_id: 'reply', config: { extra_config: { template: 'First', extra: null } } },
    });
  });

  test('leaves the node where it is now, with the model that is connected to it', () => {
    const earlier = node({ config: { llm_model_config_id: 7, extra_config: {} } as never });
    const restored = JSON.stringify(nodeRestoration(earlier, graph(node({ position_x: 90 }))));
    expect(restored).not.toContain('position_x');
    expect(restored).not.toContain('llm_model_config_id');
  });

  test('creates a deleted node again where it was', () => {
    expect(nodeRestoration(node({}), graph())).toMatchObject({
      op: 'create_node',
      node: { node_id: 'reply', component_type: 'template', position_x: 10, position_y: 20 },
    });
  });
});
