import type { Catalogue, Edge, Workflow } from '@millrace/core';
import type { EdgeFields } from '../store/store.ts';
import { expectEdge, planEdgeRemoval, planEdgeUpdate, planNewEdge } from './edge-edits.ts';
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

export function createEdges(graphs: Graphs, catalogue: Catalogue): Edges {
  return {
    list: async (workflow) => (await graphs.current(workflow)).edges,
    find: async (workflow, id) => expectEdge(await graphs.current(workflow), id),
    async create(workflow, edge) {
      const { saved } = await graphs.edit(workflow, (graph) => planNewEdge(catalogue, graph, { edge }));
      return saved[0] as Edge;
    },
    async update(workflow, id, changes) {
      const { saved } = await graphs.edit(workflow, (graph) => planEdgeUpdate(catalogue, graph, { id, changes }));
      return saved[0] as Edge;
    },
    async remove(workflow, id) {
      await graphs.edit(workflow, (graph) => planEdgeRemoval(graph, id));
    },
  };
}
