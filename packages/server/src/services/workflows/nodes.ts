import {
  type Catalogue,
  expectNode,
  findNode,
  type NewNode,
  type Node,
  type NodeChanges,
  planNewNode,
  planRemoval,
  planUpdate,
  type User,
  type Workflow,
} from '@millrace/core';
import { editRules } from './edit-rules.ts';
import type { GraphViews } from './graph-views.ts';
import { editOf, type Graphs } from './graphs.ts';
import { checkReferences, type ReferenceStore } from './node-references.ts';

/** The nodes of a workflow. */
export interface Nodes {
  /** As far as the reader may see them. */
  list(reader: User, workflow: Workflow): Promise<readonly Node[]>;
  /** As far as the reader may see it. @throws Problem `not_found` */
  find(reader: User, workflow: Workflow, nodeId: string): Promise<Node>;
  /** @throws Problem `invalid`, or `conflict` if the name is taken */
  create(user: User, workflow: Workflow, node: NewNode): Promise<Node>;
  /** A new name is also written into edges and expressions. @throws Problem, as create */
  update(
    user: User,
    workflow: Workflow,
    change: { readonly nodeId: string; readonly changes: NodeChanges },
  ): Promise<Node>;
  /** Also deletes its edges. */
  remove(user: User, workflow: Workflow, nodeId: string): Promise<void>;
}

interface NodesPorts {
  readonly store: ReferenceStore;
  readonly graphs: Graphs;
  readonly graphViews: GraphViews;
  readonly catalogue: Catalogue;
}

export function createNodes(ports: NodesPorts): Nodes {
  const { graphs, graphViews } = ports;
  const rules = editRules(ports.catalogue);
  return {
    list: async (reader, workflow) => (await graphViews.current(reader, workflow)).nodes,
    find: async (reader, workflow, nodeId) => expectNode(await graphViews.current(reader, workflow), nodeId),
    async create(user, workflow, node) {
      await checkReferences(ports.store, user, node);
      const { saved } = await graphs.edit(workflow, (graph) => planNewNode(rules, graph, { node }), editOf(user));
      return saved[0] as Node;
    },
    async update(user, workflow, { nodeId, changes }) {
      const stored = findNode(await graphs.current(workflow), nodeId);
      await checkReferences(ports.store, user, { ...changes, stored });
      const { saved } = await graphs.edit(
        workflow,
        (graph) => planUpdate(rules, graph, { nodeId, changes }),
        editOf(user),
      );
      return saved[0] as Node;
    },
    async remove(user, workflow, nodeId) {
      await graphs.edit(workflow, (graph) => planRemoval(graph, expectNode(graph, nodeId)), editOf(user));
    },
  };
}
