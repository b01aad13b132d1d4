import { type Edge, edgeDraft, edgeFields } from '@millrace/core';
import { z } from 'zod';
import { listOf, named } from '../base/named.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

/** A connection between two nodes. */
export const edge = named(
  'Edge',
  z.object({
    id: z.int(),
    source_node_id: z.string(),
    target_node_id: z.string(),
    edge_type: edgeFields.edge_type,
    edge_label: edgeFields.edge_label,
    condition_mapping: edgeFields.condition_mapping,
    condition_value: z.string(),
    priority: z.int(),
  }),
  {
    description: 'A connection between two nodes.',
    example: {
      id: 12,
      source_node_id: 'hook',
      target_node_id: 'greet',
      edge_type: 'direct',
      edge_label: '',
      condition_mapping: null,
      condition_value: '',
      priority: 0,
    },
  },
);
type EdgeBody = z.infer<typeof edge>;

export const edgeList = listOf('EdgeList', edge);

/** A connection to create. */
export const newEdge = named('NewEdge', z.object(edgeDraft.shape), { description: 'A connection to create.' }).register(
  furtherKeys,
  { shown: fieldsOf(edge) },
);

/** What to change in a connection. */
export const edgeChanges = named('EdgeChanges', z.object(edgeFields).partial(), {
  description: 'Changes to a connection.',
}).register(furtherKeys, { shown: fieldsOf(edge) });

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
