import {
  type Catalogue,
  edgesAt,
  findNode,
  type Graph,
  type Node,
  Problem,
  type User,
  type Workflow,
} from '@millrace/core';
import { newNodeSuffix } from '../ids.ts';
import type { NodeFields } from '../store/store.ts';
import { type AccessStore, maySee } from './access.ts';
import { relink } from './edges.ts';
import type { Graphs } from './graphs.ts';
import { checkedConfig, expectComponent, type GivenConfig, invalidField } from './node-config.ts';
import { expectNode, type NodeChanges, planRemoval, planUpdate, refuseTaken } from './node-edits.ts';

/** A node to make; without a name it gets one. */
export type NewNode = Omit<NodeFields, 'nodeId' | 'config'> & {
  readonly nodeId?: string;
  readonly config: GivenConfig;
};

/** The nodes of a workflow. */
export interface Nodes {
  list(workflow: Workflow): Promise<readonly Node[]>;
  /** @throws Problem `not_found` */
  find(workflow: Workflow, nodeId: string): Promise<Node>;
  /** @throws Problem `invalid`, or `conflict` when the name is taken */
  create(user: User, workflow: Workflow, node: NewNode): Promise<Node>;
  /** A new name is also written into edges and expressions. @throws Problem, as create */
  update(
    user: User,
    workflow: Workflow,
    change: { readonly nodeId: string; readonly changes: NodeChanges },
  ): Promise<Node>;
  /** Its edges go with it. */
  remove(workflow: Workflow, nodeId: string): Promise<void>;
}

interface NodesPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
}

/** The list of nodes has no pages, and every check looks at all of them: this bounds both. */
const maxNodes = 2_000;

export function createNodes(ports: NodesPorts): Nodes {
  const { graphs } = ports;
  return {
    list: async (workflow) => (await graphs.current(workflow)).nodes,
    find: async (workflow, nodeId) => expectNode(await graphs.current(workflow), nodeId),
    async create(user, workflow, node) {
      await checkSubworkflow(ports, user, node);
      const component = expectComponent(ports.catalogue, node.componentType);
      const config = checkedConfig(node.config, component);
      const [saved] = await graphs.edit(workflow, (graph) => [
        { kind: 'create_node', node: { ...node, config, nodeId: freeName(graph, node) } },
      ]);
      return linkNew(graphs, workflow, saved as Node);
    },
    async update(user, workflow, { nodeId, changes }) {
      await checkSubworkflow(ports, user, changes);
      const [saved] = await graphs.edit(workflow, (graph) => planUpdate(ports.catalogue, graph, { nodeId, changes }));
      return saved as Node;
    },
    async remove(workflow, nodeId) {
      await graphs.edit(workflow, (graph) => planRemoval(graph, expectNode(graph, nodeId)));
    },
  };
}

/** Edges may come before their nodes: a model connection that waited for this one is made now. */
async function linkNew(graphs: Graphs, workflow: Workflow, node: Node): Promise<Node> {
  const linked = await graphs.edit(workflow, (graph) => relink(graph, edgesAt(graph, node.nodeId), () => graph.edges));
  return linked.filter((saved) => saved !== null && 'nodeId' in saved).find(({ id }) => id === node.id) ?? node;
}

/** The node's name, if it is free, or one that is made from its type. */
function freeName(graph: Graph, { nodeId, componentType }: NewNode): string {
  if (graph.nodes.length >= maxNodes) throw new Problem('invalid', `A workflow may have at most ${maxNodes} nodes.`);
  if (nodeId !== undefined) {
    refuseTaken(graph, nodeId);
    return nodeId;
  }
  let name = `${componentType}_${newNodeSuffix()}`;
  while (findNode(graph, name) !== undefined) name = `${componentType}_${newNodeSuffix()}`;
  return name;
}

async function checkSubworkflow(
  { store }: NodesPorts,
  user: User,
  node: Pick<NodeChanges, 'subworkflowId'>,
): Promise<void> {
  const id = node.subworkflowId ?? null;
  if (id === null || (await maySee(store, user, id))) return;
  throw invalidField(['subworkflow_id'], 'is not a workflow that you can see');
}
