import { type Edge, edgeLabels, edgeTypes } from '@millrace/core';
import { z } from 'zod';

/** A node's name, as an edge gives it: the node need not exist yet. */
const endpoint = z.string().max(255);

const edgeType = z
  .enum(edgeTypes)
  .describe('`direct`: data flows; `conditional`: data flows when a switch takes the route `condition_value`.');
const edgeLabel = z
  .enum(edgeLabels)
  .describe('Empty for data; `llm`, `tool`, `memory`, `output_parser`, `loop_body`, `loop_return`, or `error`.');
const conditionMapping = z
  .record(z.string().max(1000), endpoint)
  // A switch with more routes than this is a table, and belongs into the data.
  .refine((mapping) => Object.keys(mapping).length <= 200, 'may have at most 200 entries')
  .nullable()
  .describe('Legacy: routes and the nodes they lead to; `__end__` ends the branch.');
const conditionValue = z.string().max(1000).describe('The route that takes this edge.');
const priority = z.int().describe('Of several edges the one with the highest goes first.');

/** A connection between two nodes. */
export const edge = z
  .object({
    id: z.int(),
    source_node_id: z.string(),
    target_node_id: z.string(),
    edge_type: edgeType,
    edge_label: edgeLabel,
    condition_mapping: conditionMapping,
    condition_value: z.string(),
    priority: z.int(),
  })
  .register(z.globalRegistry, { id: 'Edge', description: 'A connection between two nodes.' });
type EdgeBody = z.infer<typeof edge>;

export const edgeList = z.array(edge);

/** A connection to make. */
export const newEdge = z.object({
  source_node_id: endpoint.min(1),
  // Whether it may be empty depends on the edge's type, and has words of its own.
  target_node_id: endpoint,
  edge_type: edgeType.default('direct'),
  edge_label: edgeLabel.default(''),
  condition_mapping: conditionMapping.default(null),
  condition_value: conditionValue.default(''),
  priority: priority.default(0),
});

/** What to change in a connection. */
export const edgeChanges = z
  .object({
    source_node_id: endpoint.min(1),
    target_node_id: endpoint,
    edge_type: edgeType,
    edge_label: edgeLabel,
    condition_mapping: conditionMapping,
    condition_value: conditionValue,
    priority,
  })
  .partial();

/** An edge as the API shows it. */
export function presentEdge(edge: Edge): EdgeBody {
  return {
    id: edge.id,
    source_node_id: edge.sourceNodeId,
    target_node_id: edge.targetNodeId,
    edge_type: edge.edgeType,
    edge_label: edge.edgeLabel,
    condition_mapping: edge.conditionMapping,
    condition_value: edge.conditionValue,
    priority: edge.priority,
  };
}
