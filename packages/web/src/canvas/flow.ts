import { type Edge as FlowEdge, type Node as FlowNode, Position } from '@xyflow/react';
import type { NodeType } from '../api/node-types.ts';
import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';
import { slotOf, slotsOf } from '../state/slots.ts';
import {
  bodyPort,
  errorPort,
  geometryOf,
  inputPort,
  outputPort,
  type Port,
  returnPort,
  routePrefix,
  subPort,
} from './geometry.ts';
import { noteType } from './notes/note.ts';

/** What the card of a node shows. It never contains the status of a run: that would redraw the graph at each event. */
export interface CardData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly type: NodeType | undefined;
  readonly ports: readonly Port[];
  /** The ports with a connection, separated by spaces: a text, so that equal ones are the same. */
  readonly used: string;
  /** The names of the nodes in its slots, as JSON: a text, as above. */
  readonly held: string;
  /** The name that the provider gives the model in its slot; empty if it has none. */
  readonly model: string;
}

/** A node on the canvas: as a card, in the overview as a block, or as a note. */
export type CardNode = FlowNode<CardData, 'card' | 'block' | 'note'>;

/** What the line of an edge shows. */
export interface LineData extends Record<string, unknown> {
  readonly edge: GraphEdge;
}

export type LineEdge = FlowEdge<LineData>;

export type NodeTypes = Readonly<Record<string, NodeType>>;

export const positions: Readonly<Record<Port['side'], Position>> = {
  left: Position.Left,
  right: Position.Right,
  top: Position.Top,
  bottom: Position.Bottom,
};

/** The card inside has the name and the role. */
const cardAttributes = { 'aria-roledescription': undefined } as unknown as NonNullable<CardNode['domAttributes']>;

/** Arrow keys lead from card to card; a line gets the focus by a click, or from a program. */
const lineAttributes = { tabIndex: -1 };

/** Below all lines and cards, also while it is selected: a selected card is 1,000 layers higher. */
const noteLayer = -2000;

/** The cards of a graph, with the sizes and handles that let the canvas draw only what is visible. */
export function cardsOf({ nodes, edges }: Graph, types: NodeTypes): CardNode[] {
  const outgoing = Map.groupBy(edges, ({ source_node_id: source }) => source);
  const incoming = Map.groupBy(edges, ({ target_node_id: target }) => target);
  return nodes.map((node) => {
    const type = types[node.component_type];
    const { width, height, ports } = geometryOf(node, type, outgoing.get(node.node_id) ?? []);
    return {
      id: node.node_id,
      // What resizes a note begins with its measured size.
      ...(node.component_type === noteType
        ? { type: 'note', zIndex: noteLayer, measured: { width, height } }
        : { type: 'card' }),
      position: { x: node.position_x, y: node.position_y },
      width,
      height,
      handles: ports.map(({ id, kind, side, x, y }) => ({ id, type: kind, position: positions[side], x, y })),
      domAttributes: cardAttributes,
      data: {
        node,
        type,
        ports,
        used: usedPorts(outgoing.get(node.node_id), incoming.get(node.node_id)),
        ...heldBy({ nodes, edges: incoming.get(node.node_id) ?? [] }, node, type),
      },
    };
  });
}

function usedPorts(outgoing: readonly GraphEdge[] = [], incoming: readonly GraphEdge[] = []): string {
  const ports = [...outgoing.map(sourcePortOf), ...incoming.map(targetPortOf)];
  return ` ${[...new Set(ports)].join(' ')} `;
}

/** What the slots of a node hold, for `heldIn`, and the model that it uses; empty for a node without slots. */
function heldBy(graph: Graph, { node_id: nodeId }: GraphNode, type: NodeType | undefined) {
  const slots = slotsOf(graph, nodeId, type);
  if (slots.length === 0) return { held: '', model: '' };
  const names = slots.map(({ name, held }) => [name, held.map(({ node }) => node.label ?? node.node_id)]);
  const model = slots.find(({ name }) => name === 'model')?.held.at(-1)?.node.config.model_name;
  return { held: JSON.stringify(Object.fromEntries(names)), model: typeof model === 'string' ? model : '' };
}

/** The names of the nodes in a slot of a card. */
export function heldIn({ held }: Pick<CardData, 'held'>, slot: string): readonly string[] {
  if (held === '') return [];
  return (JSON.parse(held) as Readonly<Record<string, readonly string[]>>)[slot] ?? [];
}

/** The lines of a graph. An edge whose ends do not exist yet has none. */
export function linesOf({ nodes, edges }: Graph): LineEdge[] {
  const names = new Set(nodes.map(({ node_id: name }) => name));
  return edges
    .filter((edge) => names.has(edge.source_node_id) && names.has(edge.target_node_id))
    .map((edge) => ({
      id: edge.key ?? String(edge.id),
      source: edge.source_node_id,
      target: edge.target_node_id,
      sourceHandle: sourcePortOf(edge),
      targetHandle: targetPortOf(edge),
      ariaLabel: `Connection from ${edge.source_node_id} to ${edge.target_node_id}`,
      domAttributes: lineAttributes,
      data: { edge },
      className: lineClass(edge),
      ...(edge.edge_label === 'loop_return' ? { type: 'return' } : shownLabel(edge)),
    }));
}

/** The port at which the line of an edge begins. */
function sourcePortOf({ edge_type: type, edge_label: label, condition_value: route }: GraphEdge): string {
  if (type === 'conditional') return `${routePrefix}${route}`;
  if (label === 'loop_body') return bodyPort;
  if (slotOf[label] !== undefined) return subPort;
  return label === 'error' ? errorPort : outputPort;
}

/** The port at which the line of an edge ends. */
function targetPortOf({ edge_label: label }: GraphEdge): string {
  return label === 'loop_return' ? returnPort : (slotOf[label] ?? inputPort);
}

/** The label of a line, unless its ends already show it. */
function shownLabel({ edge_label: label }: GraphEdge): { readonly label?: string } {
  return label === 'error' ? { label } : {};
}

function lineClass({ edge_label: label, edge_type: type }: GraphEdge): string {
  if (label !== '') return `line-${label}`;
  return type === 'conditional' ? 'line-conditional' : 'line-direct';
}
