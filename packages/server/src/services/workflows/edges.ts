import {
  type Catalogue,
  type Edge,
  type EdgeFields,
  type EdgeUpdate,
  expectEdge,
  planEdgeRemoval,
  planEdgeUpdate,
  planNewEdge,
  type User,
  type Workflow,
} from '@millrace/core';
import { editRules } from './edit-rules.ts';
import { editOf, type Graphs } from './graphs.ts';

/** The edges of a workflow. */
export interface Edges {
  list(workflow: Workflow): Promise<readonly Edge[]>;
  /** @throws Problem `not_found` */
  find(workflow: Workflow, id: number | null): Promise<Edge>;
  /** @throws Problem `invalid`, `edge_types`, or `conflict` */
  create(user: User, workflow: Workflow, edge: EdgeFields): Promise<Edge>;
  /** The result is checked as a new edge is. @throws Problem, as create */
  update(user: User, workflow: Workflow, update: EdgeUpdate): Promise<Edge>;
  remove(user: User, workflow: Workflow, id: number): Promise<void>;
}

export function createEdges(graphs: Graphs, catalogue: Catalogue): Edges {
  const rules = editRules(catalogue);
  return {
    list: async (workflow) => (await graphs.current(workflow)).edges,
    find: async (workflow, id) => expectEdge(await graphs.current(workflow), id),
    async create(user, workflow, edge) {
      const { saved } = await graphs.edit(workflow, (graph) => planNewEdge(rules, graph, { edge }), editOf(user));
      return saved[0] as Edge;
    },
    async update(user, workflow, update) {
      const { saved } = await graphs.edit(workflow, (graph) => planEdgeUpdate(rules, graph, update), editOf(user));
      return saved[0] as Edge;
    },
    async remove(user, workflow, id) {
      await graphs.edit(workflow, (graph) => planEdgeRemoval(graph, id), editOf(user));
    },
  };
}
