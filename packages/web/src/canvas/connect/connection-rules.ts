import {
  type ConnectableType,
  type ConnectableTypes,
  checkEdge,
  type EdgeFields,
  type Graph,
} from '@millrace/core/editing';
import type { Connection } from '@xyflow/react';
import type { NodeType } from '../../api/node-types.ts';
import { viewOf } from '../../state/draft/view.ts';
import { draftOperation, graphFrom } from '../../state/draft/wire.ts';
import type { Graph as ShownGraph } from '../../state/graph.ts';
import { slotOf } from '../../state/slots.ts';
import type { NodeTypes } from '../flow.ts';
import { errorPort, geometryOf, inputPort, outputPort, returnPort, subPort } from '../geometry.ts';
import { connectionEdge } from './connection.ts';

/** A port of a node. */
export interface PortOfNode {
  readonly nodeId: string;
  readonly port: string;
  readonly kind: 'source' | 'target';
}

const sameKind = 'A connection leads from an output to an input.';
const onlySlots = 'This output only fills slots, such as those of an agent.';
const onlySteps = 'Only a step can be in the body of a loop.';

/** Decides which connections are valid, with the rule of the service. Of one graph: create another one for the next. */
export class ConnectionRules {
  readonly #shown: ShownGraph;
  readonly #types: NodeTypes;
  readonly #graph: Graph;
  readonly #connectable: ConnectableTypes;

  constructor(shown: ShownGraph, types: NodeTypes) {
    this.#shown = shown;
    this.#types = types;
    this.#graph = graphFrom({ version: 0, nodes: [...shown.nodes], edges: [...shown.edges] });
    this.#connectable = new Map(Object.entries(types).map(([name, type]) => [name, connectableType(type)]));
  }

  /** Why two ports cannot be connected; null if they can. */
  rejection(one: PortOfNode, other: PortOfNode): string | null {
    return one.kind === other.kind ? sameKind : this.rejectionOf(connectionOf(one, other));
  }

  /** Why a connection is invalid; null if it is valid. */
  rejectionOf(connection: Connection): string | null {
    const edge = connectionEdge(connection);
    const { edge_label: label = '' } = edge;
    if (connection.sourceHandle === subPort && slotOf[label] === undefined) return onlySlots;
    if (label === 'loop_body' || label === 'loop_return') {
      const ends = [edge.source_node_id, edge.target_node_id].map((name) => this.#typeOf(name));
      if (ends.some((type) => type?.executable === false)) return onlySteps;
    }
    const operation = { op: 'create_edge' as const, edge };
    const given = draftOperation(operation, {
      view: viewOf({ version: 0, ...this.#graph }, new Map()),
      newKey: () => '',
    });
    if (given.op !== 'create_edge') return null;
    return this.#rejectionOfEdge(given.edge);
  }

  #rejectionOfEdge(edge: EdgeFields): string | null {
    const issue = checkEdge({ edge, graph: this.#graph, catalogue: this.#connectable });
    if (issue === null) return null;
    return issue.kind === 'types' ? (issue.messages[0] ?? null) : issue.message;
  }

  /** The port of a node that a connection from `one` fits best, or why none fits. */
  portFor(one: PortOfNode, nodeId: string): { readonly port: string } | { readonly rejection: string } {
    const kind = one.kind === 'source' ? 'target' : 'source';
    const ports = this.#portsOf(nodeId).filter((port) => port.kind === kind);
    const checked = ports.map(({ id }) => ({ port: id, rejection: this.rejection(one, { nodeId, port: id, kind }) }));
    const fitting = checked.filter(({ rejection }) => rejection === null);
    // From within the body of a loop, a connection to the loop leads back to it.
    const back = fitting.find(({ port }) => port === returnPort);
    if (back !== undefined && this.#isInBody(nodeId, one.nodeId)) return { port: back.port };
    const ordinary = fitting.filter(({ port }) => port !== errorPort && port !== returnPort);
    const usual = ordinary.filter(({ port }) => port === outputPort || port === inputPort);
    const [best] = [...usual, ...ordinary, ...fitting];
    if (best !== undefined) return { port: best.port };
    return { rejection: checked[0]?.rejection ?? `'${nodeId}' has no ${kind === 'target' ? 'input' : 'output'}.` };
  }

  #typeOf(nodeId: string): NodeType | undefined {
    return this.#types[this.#shown.nodes.find(({ node_id: name }) => name === nodeId)?.component_type ?? ''];
  }

  #portsOf(nodeId: string) {
    const node = this.#shown.nodes.find(({ node_id: name }) => name === nodeId);
    return node === undefined ? [] : geometryOf(node, this.#types[node.component_type], this.#shown.edges).ports;
  }

  #isInBody(loop: string, nodeId: string): boolean {
    const first = this.#shown.edges.filter((edge) => edge.source_node_id === loop && edge.edge_label === 'loop_body');
    const reached = new Set(first.map((edge) => edge.target_node_id));
    for (const name of reached) {
      const next = this.#shown.edges.filter((edge) => edge.source_node_id === name && edge.target_node_id !== loop);
      for (const edge of next) reached.add(edge.target_node_id);
    }
    return reached.has(nodeId);
  }
}

/** The connection between two ports of different kinds. */
export function connectionOf(one: PortOfNode, other: PortOfNode): Connection {
  const [source, target] = one.kind === 'source' ? [one, other] : [other, one];
  return { source: source.nodeId, target: target.nodeId, sourceHandle: source.port, targetHandle: target.port };
}

/** A node type of the API as the rules of edges read it. */
function connectableType(type: NodeType): ConnectableType {
  return {
    type: type.component_type,
    inputs: type.inputs.map(inputFrom),
    outputs: type.outputs.map(({ name, data_type: dataType, description, typed_by: typedBy }) => {
      return { name, dataType, description, ...(typedBy !== null && { typedBy }) };
    }),
    subInputs: type.sub_inputs.map(inputFrom),
    ...(type.executable && { run: true }),
  };
}

function inputFrom(input: NodeType['inputs'][number]): ConnectableType['inputs'][number] {
  const { name, data_type: dataType, description, required, text_only: isTextOnly, supplied_by: suppliedBy } = input;
  return { name, dataType, description, required, suppliedBy, ...(isTextOnly && { isTextOnly }) };
}

/** The message about a rejected connection. */
export function notConnected(rejection: string): string {
  return `Not connected: ${rejection}`;
}
