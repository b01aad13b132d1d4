import type { Edge, JsonObject, Node } from '@millrace/core';
import fc from 'fast-check';
import { blankEdge, blankNode } from '../support/blank-graph.ts';
import { connectedGraphs } from './connected-graphs.ts';
import { type DrawnGraph, maxNodes, numbered } from './drawn-graphs.ts';

/** A change of one node or one edge. Most of them make a mistake, and some only look like one. */
type Change = (graph: DrawnGraph, at: { readonly node: number; readonly edge: number }) => DrawnGraph;

/** Graphs that can nearly all run, with one change: an issue of theirs seldom hides behind another one. */
export const spoiledGraphs: fc.Arbitrary<DrawnGraph> = fc
  .record({
    graph: connectedGraphs(false),
    change: fc.nat({ max: 997 }),
    node: fc.nat({ max: 97 }),
    edge: fc.nat({ max: 97 }),
  })
  .map(({ graph, change, ...at }) => (changes[change % changes.length] ?? unchanged)(graph, at));

const unchanged: Change = (graph) => graph;

/** Names of all kinds: each is right in some places and wrong in others. */
const names = [
  ...Array.from({ length: maxNodes }, (_none, index) => `n${index}`),
  ...['n0.output', 'n1.nothing', 'nodes.n2.output', 'nodes.missing', 'missing.output', 'n3.error', 'n4.results'],
  ...['loop.item', 'loop.outer.item', 'vars.known', 'vars.unknown', 'vars.hidden', 'run.id', 'run.nothing'],
  ...["missing | default('a')", 'n5.nothing is defined', "vars.unknown | default('a')", '1 +', 'trigger.nothing'],
];

/** Types with settings that they lack or cannot use, and some that look wrong. */
const configs: readonly (readonly [type: string, extra: JsonObject])[] = [
  ['gone', {}],
  ['template', {}],
  ['wait', {}],
  ['wait', { until: 'tomorrow' }],
  ['wait', { until: '2026-03-20T10:00:00Z' }],
  ['datetime', { operation: 'parse' }],
  ['code', {}],
  ['state', { operation: 'increment', key: 'k', value: 'many' }],
  ['state', { operation: 'append', key: 'k', value: 'a' }],
  ['switch', { rules: [{ id: 'a', field: 'trigger.text', operator: 'matches_regex', value: '(' }] }],
  ['assertion', { rules: [{ id: 'a', field: 'missing.text', operator: 'equals', value: 'a' }] }],
  ['assertion', { rules: [{ id: 'a', field: 'missing.text', operator: 'exists' }] }],
  ['output_parser', { parser: 'regex', pattern: '(' }],
  ['output_parser', { parser: 'json', schema: { type: 'nonsense' } }],
  ['http_request', { url: 'ftp://example.org/' }],
  ['http_request', { url: 'http://example.org/', headers: { 'A b': 'c' } }],
  ['http_request', { url: 'http://example.org/', headers: { Authorization: '{{ vars.hidden }}' } }],
  ['http_request', { url: 'http://example.org/', headers: { Authorization: 'a{{ vars.hidden }}' } }],
  ['http_request', { url: 'http://example.org/{{ vars.hidden }}' }],
  ['http_request', { url: '{{ n1.output }}' }],
  ['http_request', { url: 'http://example.org/', pagination: { mode: 'cursor' } }],
  ['respond', { headers: { 'A b': 'c' } }],
  ['agent', {}],
  ['loop', { items: [1] }],
];

const policies: readonly JsonObject[] = [
  { join: { count: 1 } },
  { join: { count: 2 } },
  { join: { count: 3 } },
  { join: 'any' },
  { on_error: 'route' },
  { on_error: 'continue' },
  { retry: { max_attempts: 0 } },
  { on_error: 'stop' },
];

/** What few of the changes above do. */
const rare: readonly Change[] = [
  replaced('gone', {}),
  replaced('template', { template: '{{ vars.hidden }}' }),
  replaced('template', { template: '{{ 1 + }}' }),
  withPolicy({ join: { count: 9 } }),
  withPolicy({ on_error: 'route' }),
];

const changes: readonly Change[] = [
  ...rare,
  ...rare,
  ...rare,
  ...rare,
  ...names.map((name) => replaced('template', { template: `{{ ${name} }}` })),
  ...names.map((name) => replaced('transform', { expression: name })),
  ...configs.map(([type, extra]) => replaced(type, extra)),
  ...policies.map(withPolicy),
  ...Array.from({ length: 4 }, () => withoutEdge),
  ...['sourceNodeId', 'targetNodeId'].map(
    (end): Change =>
      (graph, at) =>
        withEdge(graph, at.edge, (edge) => ({ ...edge, [end]: 'missing' })),
  ),
  ...Array.from({ length: 3 }, () => reversed),
  (graph, at) => withEdge(graph, at.edge, (edge) => ({ ...edge, edgeLabel: 'loop_body' })),
];

/** Every node of the graph but its first one, the trigger, can be another one. */
function withNode(graph: DrawnGraph, at: number, change: (node: Node) => Node): DrawnGraph {
  const chosen = graph.nodes[1 + (at % (graph.nodes.length - 1))];
  return { ...graph, nodes: graph.nodes.map((node) => (node === chosen ? change(node) : node)) };
}

function replaced(type: string, extra: JsonObject): Change {
  return (graph, at) =>
    withNode(graph, at.node, (node) => ({ ...node, ...blankNode(node.nodeId, type, { extra }), updatedAt: 0 }));
}

function withPolicy(policy: JsonObject): Change {
  return (graph, at) =>
    withNode(graph, at.node, (node) => {
      const extra = { ...(node.config.extra_config as JsonObject), ...policy };
      return { ...node, config: { ...node.config, extra_config: extra } };
    });
}

function withEdge(graph: DrawnGraph, at: number, change: (edge: Edge) => Edge): DrawnGraph {
  const chosen = graph.edges[at % Math.max(1, graph.edges.length)];
  return { ...graph, edges: numbered(graph.edges.map((edge) => (edge === chosen ? change(edge) : edge))) };
}

function withoutEdge(graph: DrawnGraph, { edge: at }: { readonly edge: number }): DrawnGraph {
  const chosen = graph.edges[at % Math.max(1, graph.edges.length)];
  return { ...graph, edges: graph.edges.filter((edge) => edge !== chosen) };
}

/** An edge that leads back. */
function reversed(graph: DrawnGraph, { edge: at }: { readonly edge: number }): DrawnGraph {
  const chosen = graph.edges[at % Math.max(1, graph.edges.length)];
  if (chosen === undefined) return graph;
  return { ...graph, edges: numbered([...graph.edges, blankEdge(chosen.targetNodeId, chosen.sourceNodeId)]) };
}
