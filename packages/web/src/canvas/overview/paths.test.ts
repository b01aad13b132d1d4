import { describe, expect, it } from 'vitest';
import type { CardNode, LineEdge } from '../flow.ts';
import { overviewPaths } from './paths.ts';

const ports = [
  { id: 'in', side: 'left', x: 0, y: 32 },
  { id: 'out', side: 'right', x: 216, y: 32 },
];
const card = (id: string, x: number) => ({ id, position: { x, y: 0 }, data: { ports } }) as unknown as CardNode;
const line = (source: string, target: string, className: string): LineEdge => ({
  ...{ id: `${source} ${target}`, source, target, className },
  ...{ sourceHandle: 'out', targetHandle: 'in' },
});

describe('the overview of a graph', () => {
  const cards = [card('a', 0), card('b', 316), card('c', 632)];

  it('has one path for all lines of a kind, from port to port', () => {
    const paths = overviewPaths(cards, [line('a', 'b', 'line-direct'), line('b', 'c', 'line-direct')]);
    expect([...paths]).toEqual([['line-direct', 'M216 32C256 32 276 32 316 32M532 32C572 32 592 32 632 32']]);
  });

  it('leaves out lines to nodes that do not exist', () => {
    expect([...overviewPaths(cards, [line('a', 'gone', 'line-direct')])]).toEqual([]);
  });
});
