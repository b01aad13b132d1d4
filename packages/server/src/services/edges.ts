import {
  type Catalogue,
  checkEdge,
  type Edge,
  type EdgeFault,
  findEdge,
  type Graph,
  Problem,
  relinked,
  type Workflow,
} from '@millrace/core';
import type { EdgeFields, GraphChange } from '../store/store.ts';
import type { Graphs } from './graphs.ts';

/** The edges of a workflow. */
export interface Edges {
  list(workflow: Workflow): Promise<readonly Edge[]>;
  /** @throws Problem `not_found` */
  find(workflow: Workflow, id: number | null): Promise<Edge>;
  /** @throws Problem `invalid`, `edge_types`, or `conflict` */
  create(workflow: Workflow, edge: EdgeFields): Promise<Edge>;
  /** Checks what comes of the change as a new edge is checked. @throws Problem, as create */
  update(workflow: Workflow, id: number, changes: Partial<EdgeFields>): Promise<Edge>;
  remove(workflow: Workflow, id: number): Promise<void>;
}

/** The list of edges has no pages: this bounds it. */
const maxEdges = 10_000;

export function createEdges(graphs: Graphs, catalogue: Catalogue): Edges {
  return {
    list: async (workflow) => (await graphs.current(workflow)).edges,
    find: async (workflow, id) => expectEdge(await graphs.current(workflow), id),
    async create(workflow, edge) {
      const [saved] = await graphs.edit(workflow, (graph) => {
        if (graph.edges.length >= maxEdges)
          throw new Problem('invalid', `A workflow may have at most ${maxEdges} edges.`);
        refuse(checkEdge({ edge, graph, catalogue }));
        // Its id is not known yet, and does not matter: it is the newest.
        const after = () => [...graph.edges, { ...edge, id: Number.POSITIVE_INFINITY }];
        return [{ kind: 'create_edge', edge }, ...relink(graph, [edge], after)];
      });
      return saved as Edge;
    },
    async update(workflow, id, changes) {
      const [saved] = await graphs.edit(workflow, (graph) => {
        const before = expectEdge(graph, id);
        const edge: Edge = { ...before, ...changes };
        refuse(checkEdge({ edge, id, graph, catalogue }));
        const after = () => graph.edges.map((other) => (other.id === id ? edge : other));
        return [{ kind: 'update_edge', id, edge }, ...relink(graph, [before, edge], after)];
      });
      return saved as Edge;
    },
    async remove(workflow, id) {
      await graphs.edit(workflow, (graph) => {
        const edge = expectEdge(graph, id);
        const after = () => graph.edges.filter((other) => other.id !== id);
        return [{ kind: 'delete_edge', id }, ...relink(graph, [edge], after)];
      });
    },
  };
}

/** Changes that make the targets of model connections name the model that they have after a change of the edges. */
export function relink(
  graph: Graph,
  touched: readonly EdgeFields[],
  edgesAfter: () => readonly Edge[],
): readonly GraphChange[] {
  const targets = touched.filter(({ edgeLabel }) => edgeLabel === 'llm').map(({ targetNodeId }) => targetNodeId);
  if (targets.length === 0) return [];
  return relinked({ nodes: graph.nodes, edges: edgesAfter() }, targets).map((node) => ({
    kind: 'update_node',
    id: node.id,
    node,
  }));
}

function expectEdge(graph: Graph, id: number | null): Edge {
  const edge = id === null ? undefined : findEdge(graph, id);
  if (edge === undefined) throw new Problem('not_found', 'Edge not found.');
  return edge;
}

function refuse(fault: EdgeFault | null): void {
  switch (fault?.kind) {
    case undefined:
      return;
    case 'rule':
      throw new Problem('invalid', fault.message);
    case 'types':
      throw new Problem('edge_types', { validation_errors: fault.messages });
    case 'duplicate':
      throw new Problem('conflict', fault.message);
  }
}
