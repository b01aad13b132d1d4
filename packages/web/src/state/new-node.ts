import type { NodeType } from '../api/node-types.ts';
import type { GraphNode } from './graph.ts';

/** A point on the canvas. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The distance of a new node from those before it: a card and a gap. */
const step = { x: 248, y: 104 };

/** A node of a type with a free name: at the place, or else to the right of the last one; below others there. */
export function newNode(type: NodeType, nodes: readonly GraphNode[], place: Place = afterLast(nodes)) {
  const { x, y } = freePlace(place, nodes);
  return { node_id: freeName(type, nodes), component_type: type.component_type, position_x: x, position_y: y };
}

/** The name of the next node of a type: `template`, then `template_2`. */
export function freeName({ component_type: type }: NodeType, nodes: readonly GraphNode[]): string {
  return nextName(type.replace(/^trigger_/, ''), new Set(nodes.map(({ node_id: name }) => name)));
}

/** A name, with a number if it is taken. */
export function nextName(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  return name;
}

/** Right of the rightmost node. */
function afterLast(nodes: readonly GraphNode[]): Place {
  if (nodes.length === 0) return { x: 0, y: 0 };
  const last = nodes.reduce((right, node) => (node.position_x > right.position_x ? node : right));
  return { x: last.position_x + step.x, y: last.position_y };
}

/** The place, or the next one below it at which no other node is. */
function freePlace({ x, y }: Place, nodes: readonly GraphNode[]): Place {
  const taken = (top: number): boolean =>
    nodes.some((node) => Math.abs(node.position_x - x) < step.x && Math.abs(node.position_y - top) < step.y);
  let top = y;
  while (taken(top)) top += step.y;
  return { x, y: top };
}
