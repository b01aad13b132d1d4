import type { NodeType } from '../api/node-types.ts';
import type { GraphNode } from './graph.ts';

/** The distance of a new node from those before it: a card and a gap. */
const step = { x: 248, y: 104 };

/** A node of a type with a free name, to the right of the last one. */
export function newNode({ component_type: type }: NodeType, nodes: readonly GraphNode[]) {
  const names = new Set(nodes.map(({ node_id: name }) => name));
  const base = type.replace(/^trigger_/, '');
  const number = firstNumber((count) => !names.has(count === 1 ? base : `${base}_${count}`));
  return {
    node_id: number === 1 ? base : `${base}_${number}`,
    component_type: type,
    ...freePlace(nodes),
  };
}

function firstNumber(isFree: (count: number) => boolean): number {
  let count = 1;
  while (!isFree(count)) count += 1;
  return count;
}

/** Right of the rightmost node; below it if another node is there. */
function freePlace(nodes: readonly GraphNode[]): { readonly position_x: number; readonly position_y: number } {
  if (nodes.length === 0) return { position_x: 0, position_y: 0 };
  const last = nodes.reduce((right, node) => (node.position_x > right.position_x ? node : right));
  const x = last.position_x + step.x;
  const taken = (y: number): boolean =>
    nodes.some((node) => Math.abs(node.position_x - x) < step.x && Math.abs(node.position_y - y) < step.y);
  let y = last.position_y;
  while (taken(y)) y += step.y;
  return { position_x: x, position_y: y };
}
