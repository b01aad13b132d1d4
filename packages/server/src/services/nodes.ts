import {
  type Catalogue,
  type Component,
  checkConfig,
  edgesAt,
  findNode,
  type Graph,
  type JsonObject,
  type Node,
  nodeConfig,
  Problem,
  renameInEdges,
  suggestion,
  type User,
  type Workflow,
} from '@millrace/core';
import { newNodeSuffix } from '../ids.ts';
import type { GraphChange, NodeFields, Store } from '../store/store.ts';
import { maySee } from './access.ts';
import { relink } from './edges.ts';
import type { Graphs } from './graphs.ts';

/** A config as a caller gives it: not checked yet. */
type GivenConfig = Readonly<Record<string, unknown>>;

/** A node to make; without a name it gets one. */
export type NewNode = Omit<NodeFields, 'nodeId' | 'config'> & {
  readonly nodeId?: string;
  readonly config: GivenConfig;
};

export type NodeChanges = Partial<Omit<NodeFields, 'config'>> & { readonly config?: GivenConfig };

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
  readonly store: Pick<Store, 'workflows'>;
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

function refuseTaken(graph: Graph, nodeId: string): void {
  if (findNode(graph, nodeId) === undefined) return;
  throw new Problem('conflict', `Node with id '${nodeId}' already exists.`);
}

interface Update {
  readonly nodeId: string;
  readonly changes: NodeChanges;
}

function planUpdate(catalogue: Catalogue, graph: Graph, { nodeId, changes }: Update): readonly GraphChange[] {
  const before = expectNode(graph, nodeId);
  if (changes.componentType !== undefined && changes.componentType !== before.componentType) {
    throw invalid(['component_type'], 'Cannot change: delete the node and create another');
  }
  const config = changes.config === undefined ? before.config : mergedConfig(catalogue, before, changes.config);
  const after: Node = { ...before, ...changes, config };
  const update: GraphChange = { kind: 'update_node', id: before.id, node: after };
  if (after.nodeId === nodeId) return [update];
  refuseTaken(graph, after.nodeId);
  return [update, ...renameElsewhere(graph, before, after.nodeId)];
}

/** Keys given replace those stored; the others stay. `extra_config` is one key, so that keys in it can be removed. */
function mergedConfig(catalogue: Catalogue, before: Node, given: GivenConfig): JsonObject {
  return checkedConfig({ ...before.config, ...given }, expectComponent(catalogue, before.componentType));
}

/** Changes that make the rest of the graph use a node's new name. */
function renameElsewhere(graph: Graph, node: Node, to: string): readonly GraphChange[] {
  return renameInEdges(graph, node.nodeId, to).map((edge) => ({ kind: 'update_edge', id: edge.id, edge }));
}

function planRemoval(graph: Graph, node: Node): readonly GraphChange[] {
  const gone = edgesAt(graph, node.nodeId);
  const nodes = graph.nodes.filter((other) => other.id !== node.id);
  const edgesAfter = () => graph.edges.filter((edge) => !gone.includes(edge));
  return [
    ...gone.map(({ id }): GraphChange => ({ kind: 'delete_edge', id })),
    ...relink({ ...graph, nodes }, gone, edgesAfter),
    { kind: 'delete_node', id: node.id, nodeId: node.nodeId },
  ];
}

function expectNode(graph: Graph, nodeId: string): Node {
  const node = findNode(graph, nodeId);
  if (node === undefined) throw new Problem('not_found', 'Node not found.');
  return node;
}

function expectComponent(catalogue: Catalogue, type: string): Component<never> {
  const component = catalogue.get(type);
  if (component !== undefined) return component;
  throw invalid(['component_type'], `Unknown component type '${type}'.${suggestion(type, catalogue.keys())}`);
}

/** The config with all common keys. @throws Problem `invalid` naming each field that breaks a rule */
function checkedConfig(config: GivenConfig, component: Component<never>): JsonObject {
  const issues = checkConfig(config, component);
  if (issues.length === 0) return nodeConfig.parse(config) as JsonObject;
  throw new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', 'config', ...path], msg: message })),
  );
}

async function checkSubworkflow(
  { store }: NodesPorts,
  user: User,
  node: Pick<NodeChanges, 'subworkflowId'>,
): Promise<void> {
  const id = node.subworkflowId ?? null;
  if (id === null || (await maySee(store, user, id))) return;
  throw invalid(['subworkflow_id'], 'is not a workflow that you can see');
}

function invalid(path: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', ...path], msg }]);
}
