import type { Operation } from '../api/graph.ts';
import { edgeEnds } from '../canvas/connect/edge-ends.ts';
import type { Graph } from '../state/graph.ts';

/** The most sentences about one edit; more would hold up the person who listens. */
const maxSentences = 3;

/** What an edit of the graph has done, for people who do not see it; null if its field says so itself. */
export function editAnnouncement(operations: readonly Operation[], before: Graph): string | null {
  const sentences = [
    ...countedNodes(
      'Added',
      operations.flatMap((one) => (one.op === 'create_node' ? [one.node.node_id ?? one.node.component_type] : [])),
    ),
    ...countedNodes('Deleted', nodesOf(operations, 'delete_node').map(nameIn(before))),
    ...countedNodes('Moved', moved(operations).map(nameIn(before))),
    ...operations.flatMap((one) => renamed(one, before)),
    ...edges(operations, before),
  ];
  if (sentences.length === 0) return null;
  return sentences.slice(0, maxSentences).join('. ');
}

const nameIn =
  ({ nodes }: Graph) =>
  (nodeId: string): string =>
    nodes.find((node) => node.node_id === nodeId)?.label ?? nodeId;

function nodesOf(operations: readonly Operation[], kind: 'delete_node'): readonly string[] {
  return operations.flatMap((one) => (one.op === kind ? [one.node_id] : []));
}

function moved(operations: readonly Operation[]): readonly string[] {
  return operations.flatMap((one) => {
    if (one.op !== 'update_node') return [];
    const { position_x: x, position_y: y } = one.changes;
    return x === undefined && y === undefined ? [] : [one.node_id];
  });
}

function countedNodes(verb: string, names: readonly string[]): readonly string[] {
  const [only] = names;
  if (only === undefined) return [];
  return [names.length === 1 ? `${verb} ${only}` : `${verb} ${names.length} nodes`];
}

function renamed(operation: Operation, before: Graph): readonly string[] {
  if (operation.op !== 'update_node' || operation.changes.label === undefined) return [];
  return [`Renamed ${nameIn(before)(operation.node_id)} to ${operation.changes.label ?? operation.node_id}`];
}

function edges(operations: readonly Operation[], before: Graph): readonly string[] {
  const connected = operations.flatMap((one) => (one.op === 'create_edge' ? [edgeEnds(one.edge, before)] : []));
  const deleted = operations.flatMap((one) => (one.op === 'delete_edge' ? [one.edge_id] : []));
  const known = before.edges.filter(({ id }) => deleted.includes(id)).map((edge) => edgeEnds(edge, before));
  return [...countedEdges('Connected', 'to', connected), ...countedEdges('Disconnected', 'from', known)];
}

function countedEdges(verb: string, word: string, ends: readonly ReturnType<typeof edgeEnds>[]): readonly string[] {
  const [only] = ends;
  if (only === undefined) return [];
  return [ends.length === 1 ? `${verb} ${only.from} ${word} ${only.to}` : `${verb} ${ends.length} connections`];
}
