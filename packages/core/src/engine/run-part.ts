import type { Catalogue } from '../component/component.ts';
import type { Edge, EdgeLabel, Graph } from '../graph/graph.ts';
import { bodiesOf } from '../graph/graph-bodies.ts';
import { loopsAround } from '../graph/loop-bodies.ts';

const flowLabels: ReadonlySet<EdgeLabel> = new Set(['', 'error', 'loop_body', 'loop_return']);

/** Whether runs follow this edge; the other edges connect sub-components to their parent. */
export function isFlow(edge: Pick<Edge, 'edgeLabel'>): boolean {
  return flowLabels.has(edge.edgeLabel);
}

interface PartParams {
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  readonly triggerNodeId: string;
  /** The last node to run. For a node in a loop's body it is the outermost loop, which runs as a whole. */
  readonly toNodeId: string;
}

/**
 * The edges that a run up to a node follows: those on the ways to the node, and the bodies of the loops on these ways.
 */
export function flowUpTo(flow: readonly Edge[], { graph, catalogue, toNodeId }: Omit<PartParams, 'triggerNodeId'>) {
  const { loopOf } = bodiesOf(graph, [...flow], catalogue);
  const last = loopsAround(toNodeId, loopOf)[0] ?? toNodeId;
  const isInside = (nodeId: string): boolean => loopsAround(nodeId, loopOf).includes(last);
  const kept = flow.filter(
    ({ sourceNodeId, targetNodeId }) => sourceNodeId !== last || isInside(targetNodeId) || targetNodeId === last,
  );
  const byTarget = Map.groupBy(kept, (edge) => edge.targetNodeId);
  const needed = new Set([last]);
  for (const nodeId of needed) {
    for (const edge of byTarget.get(nodeId) ?? []) needed.add(edge.sourceNodeId);
  }
  // A branch of a body that does not return to its loop is not on a way to the node, but its loop runs as a whole.
  const isNeeded = (nodeId: string): boolean =>
    needed.has(nodeId) || loopsAround(nodeId, loopOf).some((loop) => needed.has(loop));
  return kept.filter(({ sourceNodeId, targetNodeId }) => isNeeded(sourceNodeId) && isNeeded(targetNodeId));
}

/**
 * The nodes that matter to a run from a trigger up to a node: those that it performs, and their sub-components. Null if
 * the trigger does not lead to the node.
 */
export function runPart(params: PartParams): ReadonlySet<string> | null {
  const { graph, triggerNodeId, toNodeId } = params;
  const bySource = Map.groupBy(flowUpTo(graph.edges.filter(isFlow), params), (edge) => edge.sourceNodeId);
  const part = new Set([triggerNodeId]);
  for (const nodeId of part) {
    for (const edge of bySource.get(nodeId) ?? []) part.add(edge.targetNodeId);
  }
  if (!part.has(toNodeId)) return null;
  const connections = Map.groupBy(
    graph.edges.filter((edge) => !isFlow(edge)),
    (edge) => edge.targetNodeId,
  );
  for (const nodeId of part) {
    for (const edge of connections.get(nodeId) ?? []) part.add(edge.sourceNodeId);
  }
  return part;
}
