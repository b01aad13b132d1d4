import { describe, expect, it } from 'vitest';
import { graph, node } from '../test/graphs.ts';
import type { Edge } from './graph.ts';
import { edgesAt, relinked, renameInEdges } from './graph-edit.ts';

const abc = graph([node('a', 'step'), node('bb', 'step'), node('ccc', 'step')], 'a -> bb\nbb -> ccc\na -> ccc');

describe('the edges at a node', () => {
  it('are those that begin and those that end there', () => {
    expect(edgesAt(abc, 'bb').map(({ id }) => id)).toEqual([1, 2]);
    expect(edgesAt(abc, 'nobody')).toEqual([]);
  });
});

describe('a new name', () => {
  it('replaces the old one at both ends, and leaves other edges out', () => {
    expect(renameInEdges(abc, 'bb', 'x')).toMatchObject([
      { id: 1, sourceNodeId: 'a', targetNodeId: 'x' },
      { id: 2, sourceNodeId: 'x', targetNodeId: 'ccc' },
    ]);
  });

  it('replaces the old one in condition mappings, in values and not in routes', () => {
    const [first] = abc.edges;
    const edges = [{ ...(first as Edge), conditionMapping: { ccc: 'ccc', other: '__end__' } }];
    expect(renameInEdges({ ...abc, edges }, 'ccc', 'x')).toMatchObject([
      { conditionMapping: { ccc: 'x', other: '__end__' } },
    ]);
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

  it('is the id of the node that an llm edge comes from, of several the latest', () => {
    expect(linkOf([llm(1, 'model')])).toEqual([11]);
    expect(linkOf([llm(1, 'model'), llm(2, 'spare')])).toEqual([12]);
  });

  it('looks past edges from nodes that do not exist', () => {
    expect(linkOf([llm(1, 'model'), llm(2, 'missing')])).toEqual([11]);
  });

  it('is not touched when it is right already', () => {
    expect(linkOf([llm(1, 'missing')])).toEqual([]);
    expect(linkOf([])).toEqual([]);
  });
});
