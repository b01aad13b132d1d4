import type { Operation } from '../api/graph.ts';
import type { Graph, GraphNode } from '../state/graph.ts';

/**
 * The operation that makes a node of the newest graph what it was in an earlier version. A node that was deleted since
 * then is created again, without its connections. A model that is connected to it stays connected.
 */
export function nodeRestoration(earlier: GraphNode, newest: Graph): Operation {
  const { id, node_id, component_type, label, is_entry_point, interrupt_before, interrupt_after } = earlier;
  const { position_x, position_y, subworkflow_id, code_block_id } = earlier;
  const { llm_model_config_id: _link, ...config } = earlier.config;
  const fields = { node_id, label, is_entry_point, interrupt_before, interrupt_after, subworkflow_id, code_block_id };
  const now = newest.nodes.find((node) => node.id === id);
  if (now === undefined) {
    return { op: 'create_node', node: { ...fields, component_type, position_x, position_y, config } };
  }
  // Null removes a key that the node has now and did not have then.
  const added = Object.keys(now.config.extra_config ?? {}).map((key) => [key, null] as const);
  const extra_config = { ...Object.fromEntries(added), ...config.extra_config };
  return { op: 'update_node', node_id: now.node_id, changes: { ...fields, config: { ...config, extra_config } } };
}
