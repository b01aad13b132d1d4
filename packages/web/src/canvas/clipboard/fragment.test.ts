import type { Json } from '@millrace/core/editing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Graph } from '../../state/graph.ts';
import { fragmentFrom, fragmentOf, pasteOperations, portable } from './fragment.ts';
import { yamlText } from './yaml-text.ts';

const node = (node_id: string, config: object = {}) => ({
  ...{ node_id, component_type: 'template', label: null, is_entry_point: false, position_x: 8, position_y: 16 },
  config: { extra_config: {}, ...config },
});
const edge = (source_node_id: string, target_node_id: string) => ({
  ...{ source_node_id, target_node_id, edge_type: 'direct', edge_label: '', condition_value: '', priority: 0 },
});
const graph = {
  nodes: [
    node('a', { credential_id: 7 }),
    node('b', { extra_config: { template: '{{ a.output }} of {{ other.output }}' } }),
    node('other'),
  ],
  edges: [edge('a', 'b'), edge('b', 'other')],
} as unknown as Graph;
const fragment = fragmentOf(graph, new Set(['a', 'b']));

describe('a fragment of a graph', () => {
  it('has the nodes and the connections between them', () => {
    expect(fragment.nodes.map((each) => each.node_id)).toEqual(['a', 'b']);
    expect(fragment.edges).toEqual([{ source_node_id: 'a', target_node_id: 'b' }]);
  });

  it('in the clipboard has no credentials', () => {
    expect(JSON.stringify(fragment)).toContain('credential_id');
    expect(JSON.stringify(portable(fragment))).not.toContain('credential_id');
  });

  it('gets new names where it is pasted, also in its expressions, and keeps its shape', () => {
    const { names, operations } = pasteOperations(fragment, graph, { x: 100, y: 200 });
    expect(names).toEqual(['a_2', 'b_2']);
    expect(operations).toMatchObject([
      { node: { node_id: 'a_2', position_x: 100, position_y: 200 } },
      { node: { node_id: 'b_2', config: { extra_config: { template: '{{ a_2.output }} of {{ other.output }}' } } } },
      { edge: { source_node_id: 'a_2', target_node_id: 'b_2' } },
    ]);
  });

  it('keeps its names in another workflow', () => {
    expect(pasteOperations(fragment, { nodes: [], edges: [] }, { x: 0, y: 0 }).names).toEqual(['a', 'b']);
  });

  it.each([
    null,
    'text',
    [],
    {},
    { nodes: [] },
    { nodes: [{}] },
    { nodes: [{ node_id: 'a' }] },
  ])('is not made from %j', (value) => expect(fragmentFrom(value)).toBeNull());
});

it('a value written as YAML is read as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
      const given = JSON.parse(JSON.stringify(value)) as Json;
      expect(parse(yamlText(given))).toEqual(given);
    }),
    { numRuns: 300 },
  );
});
