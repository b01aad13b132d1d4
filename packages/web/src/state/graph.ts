import type { Schemas } from '@millrace/client';

export type GraphNode = Schemas['Node'];
/** In a draft, an edge has a key, which stays the same when it is saved, deleted and restored. */
export type GraphEdge = Schemas['Edge'] & { readonly key?: string };

/** The graph of a workflow, as the API returns it. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The longest label of a node that the service stores, in characters. */
export const labelLength = 200;

/** A change of the graph that the service announced. */
export interface GraphEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The graph after an event; the same object if the event does not change it. Each event contains the whole object. */
export function withEvent(graph: Graph, { type, data }: GraphEvent): Graph {
  switch (type) {
    case 'node_created':
    case 'node_updated':
      return { ...graph, nodes: withObject(graph.nodes, data as unknown as GraphNode) };
    case 'node_deleted':
      return { ...graph, nodes: graph.nodes.filter((node) => node.node_id !== data.node_id) };
    case 'edge_created':
    case 'edge_updated':
      return { ...graph, edges: withObject(graph.edges, data as unknown as GraphEdge) };
    case 'edge_deleted':
      return { ...graph, edges: graph.edges.filter((edge) => edge.id !== data.id) };
    default:
      return graph;
  }
}

function withObject<T extends { readonly id: number }>(objects: readonly T[], changed: T): readonly T[] {
  const index = objects.findIndex(({ id }) => id === changed.id);
  return index === -1 ? [...objects, changed] : objects.with(index, changed);
}
