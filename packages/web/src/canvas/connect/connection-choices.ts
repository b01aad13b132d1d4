import type { Connection } from '@xyflow/react';
import type { Graph } from '../../state/graph.ts';
import type { NodeTypes } from '../flow.ts';
import { bodyPort, errorPort, geometryOf, inputPort, outputPort, type Port, returnPort, subPort } from '../geometry.ts';
import { ConnectionRules, connectionOf, type PortOfNode } from './connection-rules.ts';

/** A connection that can be made. */
export interface ConnectionChoice {
  readonly nodeId: string;
  /** For people: `Agent › model`. */
  readonly text: string;
  readonly connection: Connection;
}

/** The connections of one port. */
export interface PortChoices {
  readonly port: PortOfNode;
  /** For people: `From the output`, `From “large”`, `Into the slot model`. */
  readonly name: string;
  readonly choices: readonly ConnectionChoice[];
}

/** A node that cannot be connected, and why. */
export interface RejectedNode {
  readonly nodeId: string;
  readonly label: string;
  readonly reason: string;
}

/** Everything that a node can be connected to, and why the other nodes are not. */
export interface NodeConnections {
  readonly ports: readonly PortChoices[];
  readonly rejected: readonly RejectedNode[];
}

/** What a node can be connected to: from its outputs to other nodes, and from other nodes into its slots. */
export function connectionsOf(graph: Graph, types: NodeTypes, nodeId: string): NodeConnections {
  const rules = new ConnectionRules(graph, types);
  const portsOf = new Map(
    graph.nodes.map((node) => [node.node_id, geometryOf(node, types[node.component_type], graph.edges).ports]),
  );
  const own = (portsOf.get(nodeId) ?? []).filter(isOffered).toSorted((a, b) => order(a) - order(b));
  const others = graph.nodes.filter(({ node_id: name }) => name !== nodeId);
  const reasons = new Map<string, string>();
  const ports = own.map((port): PortChoices => {
    const from: PortOfNode = { nodeId, port: port.id, kind: port.kind };
    const choices = others.flatMap((node): readonly ConnectionChoice[] => {
      const label = node.label ?? node.node_id;
      return (portsOf.get(node.node_id) ?? [])
        .filter(({ kind }) => kind !== port.kind)
        .flatMap((target) => {
          const to: PortOfNode = { nodeId: node.node_id, port: target.id, kind: target.kind };
          const reason = rules.rejection(from, to);
          if (reason !== null && !reasons.has(node.node_id)) reasons.set(node.node_id, reason);
          const text = `${label} › ${endName(target)}`;
          return reason === null ? [{ nodeId: node.node_id, text, connection: connectionOf(from, to) }] : [];
        });
    });
    return { port: from, name: groupName(port), choices };
  });
  const fitting = new Set(ports.flatMap(({ choices }) => choices.map((choice) => choice.nodeId)));
  const rejected = others
    .filter(({ node_id: name }) => !fitting.has(name))
    .map(({ node_id: name, label }) => {
      return { nodeId: name, label: label ?? name, reason: reasons.get(name) ?? 'It has no port that could fit.' };
    });
  return { ports, rejected };
}

/** Outputs and slots. A connection to the ordinary input begins at the other node. */
function isOffered({ kind, id }: Port): boolean {
  return kind === 'source' || (id !== inputPort && id !== returnPort);
}

/** What happens on failure comes last. */
function order({ id, kind }: Port): number {
  return id === errorPort ? 2 : kind === 'target' ? 1 : 0;
}

/** The name of a port at the end of a connection. */
function endName({ id, label }: Port): string {
  if (label !== '') return label.replace('_', ' ');
  return { [inputPort]: 'input', [errorPort]: 'error', [returnPort]: 'next' }[id] ?? 'output';
}

function groupName(port: Port): string {
  const { id, kind, label } = port;
  if (kind === 'target') return `Into the slot ${endName(port)}`;
  if (id === errorPort) return 'If it fails';
  if (id === bodyPort) return 'For each item';
  if (id === subPort) return 'Into a slot';
  return id === outputPort && label === '' ? 'From the output' : `From “${label}”`;
}
