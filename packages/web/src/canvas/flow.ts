import { type Edge as FlowEdge, type Node as FlowNode, Position } from '@xyflow/react';
import type { NodeType } from '../api/node-types.ts';
import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';
import { geometryOf, inputPort, outputPort, type Port, routePrefix } from './geometry.ts';

/** What the card of a node shows. It never contains the status of a run: that would redraw the graph at each event. */
export interface CardData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly type: NodeType | undefined;
  readonly ports: readonly Port[];
}

export type CardNode = FlowNode<CardData, 'card'>;

/** What the line of an edge shows. */
export interface LineData extends Record<string, unknown> {
  readonly edge: GraphEdge;
}

export type LineEdge = FlowEdge<LineData>;

export type NodeTypes = Readonly<Record<string, NodeType>>;

const positions: Readonly<Record<Port['side'], Position>> = {
  left: Position.Left,
  right: Position.Right,
  top: Position.Top,
  bottom: Position.Bottom,
};

/** The cards of a graph, with the sizes and handles that let the canvas draw only what is visible. */
export function cardsOf({ nodes, edges }: Graph, types: NodeTypes): CardNode[] {
  const outgoing = Map.groupBy(edges, ({ source_node_id: source }) => source);
  return nodes.map((node) => {
    const type = types[node.component_type];
    const { width, height, ports } = geometryOf(node, type, outgoing.get(node.node_id) ?? []);
    return {
      id: node.node_id,
      type: 'card',
      position: { x: node.position_x, y: node.position_y },
      width,
      height,
      handles: ports.map(({ id, kind, side, x, y }) => ({ id, type: kind, position: positions[side], x, y })),
      data: { node, type, ports },
    };
  });
}

/** The labels of edges that end at a slot, with the slot that they fill. */
export const slotOf: Readonly<Record<string, string>> = {
  llm: 'model',
  tool: 'tools',
  memory: 'memory',
  output_parser: 'output_parser',
};

/** The lines of a graph. An edge whose ends do not exist yet has none. */
export function linesOf({ nodes, edges }: Graph): LineEdge[] {
  const names = new Set(nodes.map(({ node_id: name }) => name));
  return edges
    .filter((edge) => names.has(edge.source_node_id) && names.has(edge.target_node_id))
    .map((edge) => ({
      id: String(edge.id),
      source: edge.source_node_id,
      target: edge.target_node_id,
      sourceHandle: edge.edge_type === 'conditional' ? `${routePrefix}${edge.condition_value}` : outputPort,
      targetHandle: slotOf[edge.edge_label] ?? inputPort,
      data: { edge },
      className: lineClass(edge),
      ...(edge.edge_label === 'loop_return' ? { type: 'return' } : shownLabel(edge)),
    }));
}

/** The label of a line, unless its ends already show it. */
function shownLabel({ edge_label: label }: GraphEdge): { readonly label?: string } {
  return label === 'error' ? { label } : {};
}

function lineClass({ edge_label: label, edge_type: type }: GraphEdge): string {
  if (label !== '') return `line-${label}`;
  return type === 'conditional' ? 'line-conditional' : 'line-direct';
}
