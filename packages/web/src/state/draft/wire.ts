import type { LiveMessage, Schemas } from '@millrace/client';
import {
  type Edge,
  type EdgeFields,
  emptyConfig,
  formatInstant,
  type GraphOperation,
  type JsonObject,
  type Node,
  type NodeChanges,
  type NodeFields,
  parseInstant,
  type VersionedGraph,
} from '@millrace/core/editing';
import type { Operation } from '../../api/graph.ts';
import type { GraphEdge, GraphNode } from '../graph.ts';
import type { RemoteChange, SaveRequest } from './draft.ts';
import type { DraftOperation } from './operation.ts';
import type { SaveAnswer } from './saving.ts';
import { keyIn, type View } from './view.ts';

/** A node of the API. */
function nodeFrom(body: GraphNode): Node {
  return {
    id: body.id,
    nodeId: body.node_id,
    label: body.label,
    componentType: body.component_type,
    isEntryPoint: body.is_entry_point,
    interruptBefore: body.interrupt_before,
    interruptAfter: body.interrupt_after,
    positionX: body.position_x,
    positionY: body.position_y,
    config: body.config as JsonObject,
    subworkflowId: body.subworkflow_id,
    codeBlockId: body.code_block_id,
    updatedAt: parseInstant(body.updated_at),
  };
}

/** An edge of the API. */
function edgeFrom(body: GraphEdge): Edge {
  return {
    id: body.id,
    sourceNodeId: body.source_node_id,
    targetNodeId: body.target_node_id,
    edgeType: body.edge_type,
    edgeLabel: body.edge_label,
    conditionMapping: body.condition_mapping,
    conditionValue: body.condition_value,
    priority: body.priority,
  };
}

/** The graph of a workflow of the API. */
export function graphFrom({
  version,
  nodes,
  edges,
}: Pick<Schemas['WorkflowDetail'], 'version' | 'nodes' | 'edges'>): VersionedGraph {
  return { version, nodes: nodes.map(nodeFrom), edges: edges.map(edgeFrom) };
}

/** The answer of the API to a list of operations. */
export function answerFrom({ version, results }: Schemas['GraphAnswer']): SaveAnswer {
  const objects = results.map(({ node, edge }) => {
    if (node !== null) return nodeFrom(node);
    return edge === null ? null : edgeFrom(edge);
  });
  return { version, objects };
}

const nodeKeys = {
  nodeId: 'node_id',
  label: 'label',
  componentType: 'component_type',
  isEntryPoint: 'is_entry_point',
  interruptBefore: 'interrupt_before',
  interruptAfter: 'interrupt_after',
  positionX: 'position_x',
  positionY: 'position_y',
  config: 'config',
  subworkflowId: 'subworkflow_id',
  codeBlockId: 'code_block_id',
} as const satisfies Record<keyof NodeChanges, string>;

const edgeKeys = {
  sourceNodeId: 'source_node_id',
  targetNodeId: 'target_node_id',
  edgeType: 'edge_type',
  edgeLabel: 'edge_label',
  conditionMapping: 'condition_mapping',
  conditionValue: 'condition_value',
  priority: 'priority',
} as const satisfies Record<keyof EdgeFields, string>;

/** The fields with the names of the API; other fields are omitted. */
function withKeys(fields: object, keys: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (keys[name] === undefined ? [] : [[keys[name], value]])),
  );
}

/** The body of a request. */
export function requestBody({ requestId, version, operations }: SaveRequest): Schemas['GraphRequest'] {
  return { request_id: requestId, version, operations: operations.map(operationBody) };
}

/** The tables of keys name the fields of the API. */
function operationBody(operation: GraphOperation): Schemas['GraphOperation'] {
  switch (operation.op) {
    case 'create_node':
      return { op: operation.op, node: withKeys(operation.node, nodeKeys) as Schemas['NewNode'] };
    case 'update_node':
      return { op: operation.op, node_id: operation.nodeId, changes: withKeys(operation.changes, nodeKeys) };
    case 'delete_node':
      return { op: operation.op, node_id: operation.nodeId };
    case 'create_edge':
      return { op: operation.op, edge: withKeys(operation.edge, edgeKeys) as Schemas['NewEdge'] };
    case 'update_edge':
      return { op: operation.op, edge_id: operation.edgeId, changes: withKeys(operation.changes, edgeKeys) };
    case 'delete_edge':
      return { op: operation.op, edge_id: operation.edgeId };
  }
}

/** The change that an event announces. `unknown` if it changes the graph, and does not contain the version. */
export function remoteChange({ type, version, data }: LiveMessage): RemoteChange | 'unknown' | null {
  const isOfGraph = /^(node|edge)_(created|updated|deleted)$/.test(type);
  if (!isOfGraph || version === undefined) return isOfGraph ? 'unknown' : null;
  switch (type) {
    case 'node_deleted':
      return { version, kind: 'node_deleted', nodeId: String(data.node_id) };
    case 'edge_deleted':
      return { version, kind: 'edge_deleted', id: Number(data.id) };
    case 'node_created':
    case 'node_updated':
      return { version, kind: 'node', node: nodeFrom(data as unknown as GraphNode) };
    default:
      return { version, kind: 'edge', edge: edgeFrom(data as unknown as GraphEdge) };
  }
}

const newNodeFields: Omit<NodeFields, 'nodeId' | 'componentType' | 'config'> = {
  label: null,
  isEntryPoint: false,
  interruptBefore: false,
  interruptAfter: false,
  positionX: 0,
  positionY: 0,
  subworkflowId: null,
  codeBlockId: null,
};

const newEdgeFields: Omit<EdgeFields, 'sourceNodeId' | 'targetNodeId'> = {
  edgeType: 'direct',
  edgeLabel: '',
  conditionMapping: null,
  conditionValue: '',
  priority: 0,
};

/** An operation of the draft from one of the API, which names edges by the ids that the draft shows. */
export function draftOperation(
  operation: Operation,
  { view, newKey }: { readonly view: View; readonly newKey: () => string },
): DraftOperation {
  switch (operation.op) {
    case 'create_node': {
      const { config = {}, ...fields } = fieldsFrom(operation.node, nodeKeys) as Partial<NodeFields>;
      const node = { ...newNodeFields, ...fields, config: { ...emptyConfig, ...config } };
      return { op: operation.op, node: node as NodeFields };
    }
    case 'update_node':
      return { op: operation.op, nodeId: operation.node_id, changes: fieldsFrom(operation.changes, nodeKeys) };
    case 'delete_node':
      return { op: operation.op, nodeId: operation.node_id };
    case 'create_edge': {
      const edge = { ...newEdgeFields, ...fieldsFrom(operation.edge, edgeKeys) };
      return { op: operation.op, key: newKey(), edge: edge as EdgeFields };
    }
    case 'update_edge': {
      const changes = fieldsFrom(operation.changes, edgeKeys);
      return { op: operation.op, key: keyIn(view, operation.edge_id), changes };
    }
    case 'delete_edge':
      return { op: operation.op, key: keyIn(view, operation.edge_id) };
  }
}

/** The fields with the names of the draft; other fields are omitted. */
function fieldsFrom(body: object, keys: Readonly<Record<string, string>>): Record<string, unknown> {
  const names = new Map(Object.entries(keys).map(([name, key]) => [key, name]));
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = names.get(key);
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** An edge of the draft as the canvas shows it. Its key stays the same when it is saved, deleted and restored. */
export type DraftEdge = GraphEdge & { readonly key: string };

/** The graph of a draft as the API would return it. An object that did not change is the same object again. */
export class ShownGraphs {
  readonly #nodes = new WeakMap<Node, GraphNode>();
  readonly #edges = new WeakMap<Edge, DraftEdge>();
  readonly #jobs = new Map<number, GraphNode['schedule_job']>();

  /** Schedules are no part of the draft: this notes those of a node as the service returned it. */
  noteSchedule({ id, schedule_job: job }: Pick<GraphNode, 'id' | 'schedule_job'>): void {
    this.#jobs.set(id, job);
  }

  of(view: View): { readonly nodes: readonly GraphNode[]; readonly edges: readonly DraftEdge[] } {
    return {
      nodes: view.graph.nodes.map((node) => this.#node(node)),
      edges: view.graph.edges.map((edge) => this.#edge(edge, view)),
    };
  }

  #node(node: Node): GraphNode {
    const job = this.#jobs.get(node.id) ?? null;
    const known = this.#nodes.get(node);
    if (known !== undefined && known.schedule_job === job) return known;
    const times = { updated_at: formatInstant(node.updatedAt), schedule_job: job };
    const body = { id: node.id, ...withKeys(node, nodeKeys), ...times } as GraphNode;
    this.#nodes.set(node, body);
    return body;
  }

  #edge(edge: Edge, view: View): DraftEdge {
    const key = keyIn(view, edge.id);
    const known = this.#edges.get(edge);
    if (known !== undefined && known.key === key) return known;
    const body = { id: edge.id, key, ...withKeys(edge, edgeKeys) } as DraftEdge;
    this.#edges.set(edge, body);
    return body;
  }
}
