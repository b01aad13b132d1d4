import type { VersionedGraph } from '../../store/graphs.ts';

/** A node with its config takes as much memory as 10 edges. */
const nodeWeight = 10;

/** Graphs in memory, one for each workflow. If they take too much memory, the least recently used ones are dropped. */
export class GraphCache {
  /** In the order of last use. */
  readonly #graphs = new Map<number, VersionedGraph>();
  readonly #maxWeight: number;
  #weight = 0;

  /** @param maxWeight the limit, counted in edges of some 200 bytes */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(workflowId: number): VersionedGraph | undefined {
    const graph = this.#graphs.get(workflowId);
    if (graph === undefined) return undefined;
    this.#graphs.delete(workflowId);
    this.#graphs.set(workflowId, graph);
    return graph;
  }

  set(workflowId: number, graph: VersionedGraph): void {
    this.#drop(workflowId);
    this.#graphs.set(workflowId, graph);
    this.#weight += weight(graph);
    for (const [oldest] of this.#graphs) {
      if (this.#weight <= this.#maxWeight) return;
      this.#drop(oldest);
    }
  }

  #drop(workflowId: number): void {
    const graph = this.#graphs.get(workflowId);
    if (graph === undefined) return;
    this.#graphs.delete(workflowId);
    this.#weight -= weight(graph);
  }
}

function weight(graph: VersionedGraph): number {
  return 1 + graph.nodes.length * nodeWeight + graph.edges.length;
}
