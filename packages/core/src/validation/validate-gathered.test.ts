import { expect, it } from 'vitest';
import { graph, node, catalogue as types } from '../../test/graphs.ts';
import type { Catalogue, Component } from '../component/component.ts';
import type { DataType } from '../component/ports.ts';
import { validateGraph } from './validate.ts';

const step = types.get('step');
if (step === undefined) throw new Error('the test catalogue has no step');

/** The step, as one that takes values of a type. */
function taking(type: string, dataType: DataType): [string, Component<never>] {
  const input = { name: 'input', dataType, required: true, description: 'A value.' };
  return [type, { ...(step as Component<never>), type, inputs: [input] }];
}

const catalogue: Catalogue = new Map([...types, taking('list', 'array'), taking('words', 'text')]);

function issuesIn(edges: string, extra: Record<string, { readonly type: string; readonly config?: object }> = {}) {
  const names = new Set(edges.match(/\w+/g) ?? []);
  const nodes = [...names]
    .filter((name) => !labels.has(name))
    .map((name) => {
      const { type = usual[name] ?? 'step', config = {} } = extra[name] ?? {};
      return node(name, type, config as never);
    });
  return validateGraph(graph(nodes, edges), catalogue).filter(
    ({ code, nodeId }) => code === 'edge_types' && nodeId === 'target',
  );
}

const labels = new Set(['error', 'x', 'y']);
const usual: Readonly<Record<string, string>> = { start: 'start', other: 'start', route: 'switch', target: 'list' };
const both = 'start -> a\nstart -> b\na -> target\nb -> target';

it('reports a node that receives several values in every run, and takes no object', () => {
  expect(issuesIn(both)).toEqual([
    {
      code: 'edge_types',
      severity: 'error',
      nodeId: 'target',
      message:
        "Node 'target' receives several values at once (from 'a', 'b'), that is an object, but its input 'input' is array.",
      hint: "Put a 'merge' node before it, or connect one node only.",
    },
  ]);
  expect(issuesIn(both, { target: { type: 'words' } })).toEqual([]);
  expect(issuesIn(both, { target: { type: 'gather' } })).toEqual([]);
});

it.each([
  ['only one of two routes is taken', 'start -> route\nroute -[x]-> target\nroute -[y]-> target'],
  ['a step either succeeds or fails', 'start -> a\na -> target\na -error-> target'],
  ['only one trigger reaches both', 'start -> a\nstart -> b\nother -> b\na -> target\nb -> target'],
])('does not report a node where %s', (_name, edges) => {
  expect(issuesIn(edges)).toEqual([]);
});

it.each([
  ['two steps follow one route', 'start -> route\nroute -[x]-> a\nroute -[x]-> b\na -> target\nb -> target'],
  ['both routes bring a second value', `${both}\nstart -> route\nroute -[x]-> target\nroute -[y]-> target`],
  ['success and failure bring a second value', 'start -> a\na -> target\na -error-> target\nstart -> target'],
])('reports a node where %s', (_name, edges) => {
  expect(issuesIn(edges)).toHaveLength(1);
});

it('does not report a node that does not wait for a second value', () => {
  expect(issuesIn(both, { target: { type: 'list', config: { join: 'any' } } })).toEqual([]);
  expect(issuesIn(both, { target: { type: 'list', config: { join: { count: 1 } } } })).toEqual([]);
  expect(issuesIn(both, { target: { type: 'list', config: { join: { count: 2 } } } })).toHaveLength(1);
});

it('ignores triggers whose runs never perform the node', () => {
  const edges = `${both}\nother -> target`;
  expect(issuesIn(edges, { other: { type: 'start' } })).toEqual([]);
  const target = { type: 'list', config: { join: { count: 2 } } };
  expect(issuesIn(edges, { other: { type: 'start' }, target })).toHaveLength(1);
});
