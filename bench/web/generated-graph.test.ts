import { catalogue } from '@millrace/components';
import { readDsl } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { generatedGraph } from './generated-graph.ts';

/** The nodes and edges of a text, which must be a valid workflow. */
function read(text: string) {
  const { parts, issues } = readDsl(text, catalogue);
  expect(issues).toEqual([]);
  if (parts === null) throw new Error('The text has no graph.');
  return parts.draft;
}

describe('a generated graph', () => {
  it('is a valid text with as many nodes as requested, and about one edge per node', () => {
    for (const size of [12, 100, 500, 1000]) {
      const { nodes, edges } = read(generatedGraph('Generated', size));
      expect(nodes).toHaveLength(size);
      expect(edges.length / size).toBeGreaterThan(0.9);
      expect(edges.length / size).toBeLessThan(1.3);
    }
  });

  it('contains agents with slots, and switches, in the shares of real workflows', () => {
    const { nodes, edges } = read(generatedGraph('Generated', 1000));
    const agents = nodes.filter(({ componentType }) => componentType === 'agent').length;
    const flow = nodes.filter(
      ({ componentType }) => !['ai_model', 'conversation_memory'].includes(componentType),
    ).length;
    expect(agents / flow).toBeCloseTo(0.14, 1);
    expect(nodes.filter(({ componentType }) => componentType === 'switch').length / flow).toBeCloseTo(0.08, 1);
    expect(edges.filter(({ edge }) => edge.edgeLabel === 'llm')).toHaveLength(agents);
  });

  it('is equal for equal seeds, and different for others', () => {
    const text = generatedGraph('Generated', 100, { seed: 7 });
    expect(generatedGraph('Generated', 100, { seed: 7 })).toBe(text);
    expect(generatedGraph('Generated', 100, { seed: 8 })).not.toBe(text);
  });

  it('that runs is the body of a loop', () => {
    const { edges } = read(generatedGraph('Paced', 500, { calls: 'http://127.0.0.1:9000/' }));
    const ends = (label: string) => edges.filter(({ edge }) => edge.edgeLabel === label).length;
    expect(ends('loop_body')).toBeGreaterThan(5);
    expect(ends('loop_return')).toBe(ends('loop_body'));
  });
});
