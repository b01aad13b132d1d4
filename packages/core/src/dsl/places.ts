import { isFlow } from '../engine/run-part.ts';
import type { Draft } from './draft.ts';

/** The distance between the corners of two nodes: space for a node and its edges. */
const columnWidth = 250;
const rowHeight = 150;

/**
 * Positions of nodes that have none in the text: one column per step of the flow; sub-components below their parents.
 */
export function defaultPlaces({
  nodes,
  edges,
}: Pick<Draft, 'nodes' | 'edges'>): ReadonlyMap<string, readonly [number, number]> {
  const columns = columnsOf({ nodes, edges });
  for (const { edge } of edges) {
    const parent = columns.get(edge.targetNodeId);
    if (!isFlow(edge) && parent !== undefined) columns.set(edge.sourceNodeId, parent);
  }
  const parts = new Set(edges.flatMap(({ edge }) => (isFlow(edge) ? [] : [edge.sourceNodeId])));
  const inOrder = [
    ...nodes.filter(({ nodeId }) => !parts.has(nodeId)),
    ...nodes.filter(({ nodeId }) => parts.has(nodeId)),
  ];
  const filled = new Map<number, number>();
  return new Map(
    inOrder.map(({ nodeId }) => {
      const column = columns.get(nodeId) ?? 0;
      const row = filled.get(column) ?? 0;
      filled.set(column, row + 1);
      return [nodeId, [column * columnWidth, row * rowHeight]];
    }),
  );
}

/** The number of edges on the longest path to each node; nodes on a cycle stay in the column of its entry. */
function columnsOf({ nodes, edges }: Pick<Draft, 'nodes' | 'edges'>): Map<string, number> {
  const columns = new Map(nodes.map(({ nodeId }) => [nodeId, 0]));
  const flow = edges.map(({ edge }) => edge).filter((edge) => isFlow(edge) && edge.edgeLabel !== 'loop_return');
  const bySource = Map.groupBy(flow, (edge) => edge.sourceNodeId);
  const waiting = new Map(columns);
  for (const { targetNodeId } of flow) waiting.set(targetNodeId, (waiting.get(targetNodeId) ?? 0) + 1);
  const ready = [...columns.keys()].filter((nodeId) => waiting.get(nodeId) === 0);
  for (const nodeId of ready) {
    for (const { targetNodeId } of bySource.get(nodeId) ?? []) {
      columns.set(targetNodeId, Math.max(columns.get(targetNodeId) ?? 0, (columns.get(nodeId) ?? 0) + 1));
      const left = (waiting.get(targetNodeId) ?? 0) - 1;
      waiting.set(targetNodeId, left);
      if (left === 0) ready.push(targetNodeId);
    }
  }
  return columns;
}
