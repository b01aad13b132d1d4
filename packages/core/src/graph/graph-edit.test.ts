import { describe, expect, it } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import type { JsonObject } from '../json.ts';
import type { Edge } from './graph.ts';

const switchType = catalogue.get('switch');
if (switchType === undefined) throw new Error('the test catalogue has no switch');

import { edgesAt, relinked, renameInEdges } from './graph-edit.ts';
import { renameInConfig } from './text-places.ts';

const abc = graph([node('a', 'step'), node('bb', 'step'), node('ccc', 'step')], 'a -> bb\nbb -> ccc\na -> ccc');

describe('the edges of a node', () => {
  it('are those that begin and those that end at it', () => {
    expect(edgesAt(abc, 'bb').map(({ id }) => id)).toEqual([1, 2]);
    expect(edgesAt(abc, 'nobody')).toEqual([]);
  });
});

describe('a new name', () => {
  it('replaces the old one at both ends, and excludes other edges', () => {
    expect(renameInEdges(abc, { from: 'bb', to: 'x' })).toMatchObject([
      { id: 1, sourceNodeId: 'a', targetNodeId: 'x' },
      { id: 2, sourceNodeId: 'x', targetNodeId: 'ccc' },
    ]);
  });

  it('replaces the old one in the values of condition mappings, and not in routes', () => {
    const [first] = abc.edges;
    const edges = [{ ...(first as Edge), conditionMapping: { ccc: 'ccc', other: '__end__' } }];
    expect(renameInEdges({ ...abc, edges }, { from: 'ccc', to: 'x' })).toMatchObject([
      { conditionMapping: { ccc: 'x', other: '__end__' } },
    ]);
  });
});

describe('a new name in expressions', () => {
  const rename = { from: 'hook', to: 'entry' };
  const renamed = (type: string, extra: JsonObject) =>
    renameInConfig(node('a', type, extra), rename, catalogue).extra_config;

  it('replaces the old one everywhere it names the node, and nowhere else', () => {
    const extra = {
      text: 'hook: {{ hook.payload.hook }} {{ nodes.hook.text | default("hook") }}',
      other: '{{ hooks.a }}',
    };
    expect(renamed('step', extra)).toEqual({
      text: 'hook: {{ entry.payload.hook }} {{ nodes.entry.text | default("hook") }}',
      other: '{{ hooks.a }}',
    });
  });

  it('replaces the old one in the fields of a switch’s rules, which are paths without braces', () => {
    const verbatim = new Map(catalogue).set('switch', {
      ...switchType,
      verbatim: ['rules.*.field'],
      scopePaths: ['rules.*.field'],
    });
    const extra = { rules: [{ id: 'hook', field: 'hook.payload', operator: 'equals', value: 'hook' }] };
    expect(renameInConfig(node('a', 'switch', extra), rename, verbatim).extra_config).toEqual({
      rules: [{ id: 'hook', field: 'entry.payload', operator: 'equals', value: 'hook' }],
    });
  });

  it('leaves a pinned output unchanged, because it is literal', () => {
    const extra = { text: '{{ hook.a }}', pinned_output: { output: '{{ hook.a }}' } };
    expect(renamed('step', extra)).toEqual({ ...extra, text: '{{ entry.a }}' });
  });

  it('leaves text unchanged that a type does not evaluate over the run', () => {
    const filter = new Map(catalogue).set('filter', {
      ...switchType,
      type: 'filter',
      verbatim: ['rules.*.field'],
      scopePaths: [],
    });
    const config = node('a', 'filter', { rules: [{ field: 'hook.payload' }] });
    expect(renameInConfig(config, rename, filter)).toBe(config.config);
  });

  it('returns the same object if nothing names the node', () => {
    const other = node('a', 'step', { text: 'hook' });
    expect(renameInConfig(other, rename, catalogue)).toBe(other.config);
  });
});

describe('the link to a model', () => {
  const model = { ...node('model', 'step'), id: 11 };
  const spare = { ...node('spare', 'step'), id: 12 };
  const agent = { ...node('agent', 'step'), id: 13 };
  const llm = (id: number, sourceNodeId: string): Edge => {
    const [edge] = graph([], 'a -> agent').edges;
    return { ...(edge as Edge), id, sourceNodeId, edgeLabel: 'llm' };
  };
  const linkOf = (edges: readonly Edge[]) =>
    relinked({ nodes: [model, spare, agent], edges }, ['agent', 'agent', 'nobody']).map(
      ({ config }) => config.llm_model_config_id,
    );

  it('is the id of the source node of the llm edge, of several the latest', () => {
    expect(linkOf([llm(1, 'model')])).toEqual([11]);
    expect(linkOf([llm(1, 'model'), llm(2, 'spare')])).toEqual([12]);
  });

  it('ignores edges from nodes that do not exist', () => {
    expect(linkOf([llm(1, 'model'), llm(2, 'missing')])).toEqual([11]);
  });

  it('is unchanged if it is already correct', () => {
    expect(linkOf([llm(1, 'missing')])).toEqual([]);
    expect(linkOf([])).toEqual([]);
  });
});
