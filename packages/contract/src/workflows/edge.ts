import { type Edge, edgeDraft, edgeFields } from '@millrace/core';
import { z } from 'zod';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

/** A connection between two nodes. */
export const edge = z
  .object({
    id: z.int(),
    source_node_id: z.string(),
    target_node_id: z.string(),
    edge_type: edgeFields.edge_type,
    edge_label: edgeFields.edge_label,
    condition_mapping: edgeFields.condition_mapping,
    condition_value: z.string(),
    priority: z.int(),
  })
  .register(z.globalRegistry, { id: 'Edge', description: 'A connection between two nodes.' });
type EdgeBody = z.infer<typeof edge>;

export const edgeList = z.array(edge);

/** A connection to make. */
export const newEdge = edgeDraft.register(furtherKeys, { shown: fieldsOf(edge) });

/** What to change in a connection. */
export const edgeChanges = z
  .object(edgeFields)
  .partial()
  .register(furtherKeys, { shown: fieldsOf(edge) });

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
