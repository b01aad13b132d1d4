import type { NodeType } from '../api/node-types.ts';
import type { GraphEdge, GraphNode } from '../state/graph.ts';
import { noteOf, noteType } from './notes/note.ts';

/** The size of a node card in pixels at a zoom of 1. Cards have fixed sizes, so the canvas can cull before painting. */
export const cardWidth = 216;
export const cardHeight = 64;
/** The height of the bar with the slots for models, tools and memory. */
const slotBarHeight = 28;
/** The height of a row for each further output, such as the routes of a switch. */
const outputRowHeight = 22;

/** A point at which edges begin or end. */
export interface Port {
  /** The id of the handle. */
  readonly id: string;
  readonly kind: 'source' | 'target';
  readonly side: 'left' | 'right' | 'top' | 'bottom';
  /** Relative to the card. */
  readonly x: number;
  readonly y: number;
  /** What the port is called; empty for the ordinary input and output. */
  readonly label: string;
  readonly dataType: string;
}

/** The size and the ports of a node on the canvas. */
export interface NodeGeometry {
  readonly width: number;
  readonly height: number;
  readonly ports: readonly Port[];
}

/** The ids of the ports that have no name of their own. */
export const inputPort = 'in';
export const outputPort = 'out';
/** The port of a node that fills a slot of another one: a model, a tool. */
export const subPort = 'sub';
/** The ports of a loop: the first node of its body begins at one, and the last one leads back to the other. */
export const bodyPort = 'body';
export const returnPort = 'return';
/** The port for what happens when a step fails. */
export const errorPort = 'error';
/** Below the ordinary output. */
const errorPortY = 52;
/** The port of a route is this and the name of the route. */
export const routePrefix = 'route:';

/** The route that a switch takes if no rule matches. */
const otherRoute = '__other__';

/**
 * The routes between which a switch chooses: those of its rules, and those of its edges, which an expression may give.
 * Empty for a node that takes all its edges.
 */
function routesOf({ component_type: type, config, node_id: name }: GraphNode, edges: readonly GraphEdge[]) {
  if (type !== 'switch') return [];
  const { rules, enable_fallback: hasFallback } = config.extra_config as { rules?: unknown; enable_fallback?: unknown };
  const ruled = Array.isArray(rules) ? rules.map((rule: { id?: unknown }) => String(rule.id)) : [];
  const drawn = edges
    .filter((edge) => edge.source_node_id === name && edge.edge_type === 'conditional')
    .map((edge) => edge.condition_value);
  const routes = new Set([...ruled, ...drawn.filter((route) => route !== otherRoute)]);
  return hasFallback === true || drawn.includes(otherRoute) ? [...routes, otherRoute] : [...routes];
}

/** Where the ports of a node are. */
export function geometryOf(node: GraphNode, type: NodeType | undefined, edges: readonly GraphEdge[]): NodeGeometry {
  if (node.component_type === noteType) return { ...sizeOf(node), ports: [] };
  const slots = type?.sub_inputs ?? [];
  const routes = routesOf(node, edges);
  const isLoop = node.component_type === 'loop';
  const slotBar = slots.length > 0 ? slotBarHeight : 0;
  const body = cardHeight + (isLoop ? 1 : routes.length) * outputRowHeight;
  const height = body + slotBar;
  const isSub = type !== undefined && isSubComponent(type);
  const output = type?.outputs[0];
  const ports: Port[] = slots.map((slot, index) => ({
    id: slot.name,
    kind: 'target',
    side: 'bottom',
    x: ((index + 0.5) * cardWidth) / slots.length,
    y: height,
    label: slot.name === 'output_parser' ? 'parser' : slot.name,
    dataType: slot.data_type,
  }));
  const sub = type?.outputs.find(({ data_type: dataType }) => subTypes.includes(dataType));
  if (sub !== undefined) {
    const place = { x: cardWidth / 2, y: 0 };
    ports.push({ id: subPort, kind: 'source', side: 'top', ...place, label: '', dataType: sub.data_type });
  }
  if (isSub) return { width: cardWidth, height, ports };
  if (type === undefined || type.inputs.length > 0) {
    const dataType = type?.inputs[0]?.data_type ?? 'any';
    ports.push({ id: inputPort, kind: 'target', side: 'left', x: 0, y: cardHeight / 2, label: '', dataType });
  }
  if (isLoop) ports.push(...loopPorts());
  if (type?.executable === true) {
    const place = { x: cardWidth, y: errorPortY };
    ports.push({ id: errorPort, kind: 'source', side: 'right', ...place, label: '', dataType: 'error' });
  }
  if (output !== undefined || type === undefined) {
    const dataType = output?.data_type ?? 'any';
    ports.push({ id: outputPort, kind: 'source', side: 'right', x: cardWidth, y: cardHeight / 2, label: '', dataType });
    for (const [index, route] of routes.entries()) {
      const y = cardHeight + (index + 0.5) * outputRowHeight - 6;
      ports.push({
        id: `${routePrefix}${route}`,
        kind: 'source',
        side: 'right',
        x: cardWidth,
        y,
        label: route === otherRoute ? 'other' : route,
        dataType,
      });
    }
  }
  return { width: cardWidth, height, ports };
}

function sizeOf(node: GraphNode) {
  const { width, height } = noteOf(node);
  return { width, height };
}

/** The ports of a loop's body are in a row of their own. */
function loopPorts(): readonly Port[] {
  const y = cardHeight + 0.5 * outputRowHeight - 6;
  return [
    { id: returnPort, kind: 'target', side: 'left', x: 0, y, label: 'next', dataType: 'any' },
    { id: bodyPort, kind: 'source', side: 'right', x: cardWidth, y, label: 'each item', dataType: 'any' },
  ];
}

const subTypes: readonly string[] = ['llm', 'tool', 'memory', 'output_parser'];

/** Whether a node of this type only fills a slot of another node: it is not part of the flow. */
function isSubComponent(type: NodeType): boolean {
  return type.outputs.length > 0 && type.outputs.every(({ data_type: dataType }) => subTypes.includes(dataType));
}
