import type { Graph } from '../state/graph.ts';
import { triggersOf } from './triggers.ts';

/** The labels of edges that runs follow. */
const flowLabels: ReadonlySet<string> = new Set(['', 'error', 'loop_body', 'loop_return']);

/** The first trigger from which edges lead to a node; null if runs do not reach it, as a sub-component or a note. */
export function triggerOf(graph: Graph, nodeId: string): string | null {
  const flow = graph.edges.filter(({ edge_label: label }) => flowLabels.has(label));
  const bySource = Map.groupBy(flow, (edge) => edge.source_node_id);
  const reaches = (start: string): boolean => {
    const found = new Set([start]);
    for (const id of found) for (const edge of bySource.get(id) ?? []) found.add(edge.target_node_id);
    return found.has(nodeId);
  };
  return triggersOf(graph).find((trigger) => reaches(trigger.nodeId))?.nodeId ?? null;
}
