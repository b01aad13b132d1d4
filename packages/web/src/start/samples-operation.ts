import type { Operation } from '../api/graph.ts';
import type { Graph } from '../state/graph.ts';
import type { Sample } from './payload.ts';

/** The edit that stores the samples of a trigger. What else its `trigger_config` contains stays. */
export function samplesOperation(
  { nodes }: Pick<Graph, 'nodes'>,
  nodeId: string,
  samples: readonly Sample[],
): Operation {
  const before = nodes.find((node) => node.node_id === nodeId)?.config.trigger_config ?? {};
  const config = { trigger_config: { ...before, samples: samples.map((sample) => ({ ...sample })) } };
  return { op: 'update_node', node_id: nodeId, changes: { config } } as Operation;
}
