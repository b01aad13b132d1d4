import type { Schemas } from '@millrace/client';
import type { Connection } from '@xyflow/react';
import { slotOf } from '../../state/slots.ts';
import { bodyPort, errorPort, returnPort, routePrefix } from '../geometry.ts';

/** The labels of edges by the slot that they fill. */
const labelOf = new Map(Object.entries(slotOf).map(([label, slot]) => [slot, label]));

/** The edge that a drawn connection means: its ports decide the label and the route. */
export function connectionEdge({ source, target, sourceHandle, targetHandle }: Connection): Schemas['NewEdge'] {
  const ends = { source_node_id: source, target_node_id: target };
  const label = labelOf.get(targetHandle ?? '');
  if (label !== undefined) return { ...ends, edge_label: label as 'llm' };
  if (sourceHandle === bodyPort) return { ...ends, edge_label: 'loop_body' };
  if (sourceHandle === errorPort) return { ...ends, edge_label: 'error' };
  if (targetHandle === returnPort) return { ...ends, edge_label: 'loop_return' };
  if (sourceHandle?.startsWith(routePrefix) === true) {
    return { ...ends, edge_type: 'conditional', condition_value: sourceHandle.slice(routePrefix.length) };
  }
  return ends;
}
