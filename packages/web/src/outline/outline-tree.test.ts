import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';
import { outlineOf } from './outline-tree.ts';

/** A graph from texts such as `a -> b`, `a -llm-> b` and `a -[route]-> b`. */
function graph(...lines: string[]): Graph {
  const edges = lines.flatMap((line, index): GraphEdge[] => {
    const match = /^(\w+) -(?:\[(\w+)\]-|(\w+)-)?> (\w+)$/.exec(line);
    if (match === null) return [];
    const [, source = '', route, label = '', target = ''] = match;
    return [
      {
        id: index + 1,
        source_node_id: source,
        target_node_id: target,
        edge_type: route === undefined ? 'direct' : 'conditional',
        edge_label: label as GraphEdge['edge_label'],
        condition_value: route ?? '',
        condition_mapping: null,
        priority: 0,
      },
    ];
  });
  const names = new Set(lines.flatMap((line) => line.match(/^\w+|\w+$/g) ?? []));
  return { nodes: [...names].map((name) => ({ node_id: name }) as GraphNode), edges };
}

function outline(...lines: string[]): string {
  return outlineOf(graph(...lines))
    .map(({ node, level, via, jumps }) => {
      const to = jumps.map((edge) => ` > ${edge.target_node_id}`).join('');
      return `${'  '.repeat(level - 1)}${via === null ? '' : `(${via}) `}${node.node_id}${to}`;
    })
    .join('\n');
}

describe('the outline', () => {
  it('lists a sequence at one level', () => {
    expect(outline('a -> b', 'b -> c')).toBe('a\nb\nc');
  });

  it('has the branches of a switch below it, and what follows them after it', () => {
    expect(outline('a -> s', 's -[x]-> b', 's -[__other__]-> c', 'b -> d', 'c -> d', 'd -> e')).toBe(
      'a\ns\n  (if x) b > d\n  (otherwise) c > d\nd\ne',
    );
  });

  it('has the parts of an agent below it', () => {
    expect(outline('m -llm-> a', 't -tool-> a', 'start -> a')).toBe('start\na\n  (model) m\n  (tool) t');
  });

  it('has the body of a loop below it', () => {
    expect(outline('a -> l', 'l -loop_body-> b', 'b -> c', 'c -loop_return-> l', 'l -> d')).toBe(
      'a\nl\n  (each item) b\n  c > l\nd',
    );
  });

  it('lists a cycle once', () => {
    expect(outline('a -> b', 'b -> a')).toBe('a\nb > a');
  });

  it('lists a chain of 2,000 nodes', () => {
    const lines = Array.from({ length: 1999 }, (_, index) => `n${index} -> n${index + 1}`);
    expect(outlineOf(graph(...lines))).toHaveLength(2000);
  });

  it('lists every node of any graph exactly once, below a row that is there', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const arrow = fc.constantFrom('->', '-llm->', '-tool->', '-[x]->', '-[y]->', '-loop_body->', '-loop_return->');
    const line = fc.tuple(name, arrow, name).map(([from, middle, to]) => `${from} ${middle} ${to}`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const given = graph(...lines);
        const rows = outlineOf(given);
        expect(rows.map(({ node }) => node.node_id).toSorted()).toEqual(
          given.nodes.map((one) => one.node_id).toSorted(),
        );
        for (const [index, { parent, level }] of rows.entries()) {
          const above = rows.slice(0, index).findLast((row) => row.level === level - 1);
          expect(above?.node.node_id ?? null).toBe(parent);
        }
      }),
      { numRuns: 500 },
    );
  });
});
