import { catalogue } from '@millrace/components';
import { type Edge, type EdgeLabel, type Graph, type JsonObject, type Node, nodeConfig } from '@millrace/core';
import { edgeLabels } from '@millrace/core/testkit';
import fc from 'fast-check';
import type { EdgeFields } from '../../src/store/graphs.ts';
import { blankNode } from '../support/blank-graph.ts';

/** A graph as somebody might draw or write it: not everything in it can be stored. */
export interface DrawnGraph {
  readonly nodes: readonly Node[];
  /** No two with the same identity. */
  readonly edges: readonly Edge[];
}

const triggers = [
  'trigger_manual',
  'trigger_manual',
  'trigger_webhook',
  'trigger_chat',
  'trigger_schedule',
  'trigger_workflow',
  'trigger_error',
  'trigger_git',
];

/** All types, those more often of which the rules have more to say. */
const types = [
  ...catalogue.keys(),
  ...['switch', 'loop', 'loop', 'filter', 'filter', 'agent', 'agent', 'ai_model', 'ai_model', 'output_parser'],
  ...['calculator', 'http_request', 'aggregator', 'merge', 'template', 'transform', 'template', 'transform'],
];

const someRules = [{ id: 'a', field: 'trigger.payload.kind', operator: 'equals', value: 'a' }];

/** What nodes of a type are configured with: nothing, what they need, and what supplies their input. */
const configs: Readonly<Record<string, readonly JsonObject[]>> = {
  template: [{ template: 'Hello' }, { template: 'Hello' }, { template: '{{ n0.text }} and {{ n1.output }}' }, {}],
  transform: [{}, { expression: 'trigger.payload' }, { fields: { a: '{{ n2.result }}' } }],
  code: [{ code: 'return input;' }, { code: 'return nodes.n1.output;' }, {}],
  calculator: [{}, { expression: '1 + 1' }, { expression: '{{ trigger.payload.n }} * 2' }],
  http_request: [{}, { url: 'http://example.org/' }, { url: 'http://example.org/{{ n1.output }}', method: 'POST' }],
  datetime: [{}, { operation: 'parse' }, { operation: 'parse', value: '2026-03-20T10:00:00Z' }],
  switch: [
    { rules: someRules },
    { rules: [...someRules, { ...someRules[0], id: 'b' }], enable_fallback: true },
    { expression: 'trigger.payload.kind' },
    {},
  ],
  filter: [{}, { rules: [{ field: 'item', operator: 'exists' }] }],
  assertion: [{}, { rules: someRules }],
  merge: [{}, { mode: 'first' }, { mode: 'keyed' }],
  aggregator: [{}, { operation: 'join' }, { operation: 'count' }],
  loop: [{}, { items: [1, 2] }, { items: '{{ trigger.payload.list }}' }, { on_error: 'continue' }],
  wait: [{ duration: 1, unit: 'seconds' }, { callback: true }, {}],
  human_confirmation: [{}, { prompt: 'Go on?' }],
  agent: [{}, {}, { input: 'Hello' }, { input: '{{ vars.known }}' }],
  workflow: [{ workflow: 'other' }, { workflow: 'other', payload: { n: 1 } }, {}],
  respond: [{}, { body: 'Done' }],
  state: [{ operation: 'get', key: 'k' }, { operation: 'set', key: 'k', value: 1 }, {}],
  identify_user: [{}, { channel: 'shop', external_id: '17' }],
  memory_read: [{}, { query: 'a' }, { key: 'k' }, { scope: 'user' }],
  memory_write: [{}, { key: 'k', value: 1 }, { mode: 'delete', key: 'k' }, { mode: 'delete', value: 1 }],
  send_message: [{}, { chat_id: 1 }, { chat_id: '{{ vars.known }}', text: 'Hello' }, { text: 'Hello' }],
  output_parser: [{}, { parser: 'list' }, { parser: 'regex', pattern: 'a(.)' }],
  trigger_schedule: [{ cron: '0 9 * * *' }, { interval_seconds: 60 }, {}],
};

/** Policies, and mistakes: keys, values, names and syntax that no node may have. */
const handled: readonly JsonObject[] = [{ join: 'any' }, { on_error: 'continue' }, { retry: { max_attempts: 2 } }];
const additions: readonly JsonObject[] = [
  ...handled,
  { join: { count: 2 } },
  { on_error: 'route' },
  { on_error: 'stop' },
  { on_error: 'never' },
  { nonsense: 1 },
];
const mistakes: readonly JsonObject[] = [
  { template: '{{ missing.output }}' },
  { template: '{{ n1.nothing }}' },
  { template: '{{ vars.unknown }}' },
  { template: '{{ 1 + }}' },
  { template: '{{ loop.item }}' },
];

const common = fc.constantFrom<JsonObject>(
  {},
  {},
  {},
  { system_prompt: 'Be brief.' },
  { model_name: 'm', temperature: 1 },
  { priority: 2 },
);

export const maxNodes = 7;

/** Types of which the output or the input is of one known type. */
const typedTypes = ['template', 'calculator', 'filter', 'loop', 'http_request', 'aggregator', 'agent', 'trigger_error'];

/** A node with the name of its place; one without mistakes has only what a node may have. */
export function nodeAt(index: number, mayBeWrong = true): fc.Arbitrary<Node> {
  const others = mayBeWrong ? types : [...types, ...typedTypes, ...typedTypes];
  const type =
    index === 0 ? fc.constantFrom(...triggers, ...(mayBeWrong ? ['template'] : [])) : fc.constantFrom(...others);
  return type.chain((componentType) => {
    const own = configs[componentType] ?? [{}];
    return fc
      .record({
        own: fc.oneof(
          { weight: 30, arbitrary: fc.constantFrom(...own) },
          { weight: mayBeWrong && componentType === 'template' ? 10 : 0, arbitrary: fc.constantFrom(...mistakes) },
        ),
        addition: fc.oneof(
          { weight: 16, arbitrary: fc.constant({}) },
          { weight: 2, arbitrary: fc.constantFrom(...(mayBeWrong ? additions : handled)) },
        ),
        common,
      })
      .map(({ own: extra, addition, common: shared }): Node => {
        const config = nodeConfig.parse({ ...shared, extra_config: { ...extra, ...addition } }) as JsonObject;
        return { ...blankNode(`n${index}`, componentType, { config }), id: index + 1, updatedAt: 0 };
      });
  });
}

/** An edge whose ends and label are still numbers to choose by. */
export interface DrawnEdge {
  readonly ends: readonly [number, number];
  readonly isWild: boolean;
  readonly label: EdgeLabel;
  readonly route: string | null;
  readonly mapping: Edge['conditionMapping'];
  readonly end: string | null;
  readonly priority: number;
}

export const drawnEdge: fc.Arbitrary<DrawnEdge> = fc.record({
  ends: fc.tuple(fc.nat({ max: 97 }), fc.nat({ max: 97 })),
  isWild: fc.nat({ max: 5 }).map((number) => number === 0),
  label: fc.constantFrom(...edgeLabels),
  route: fc.constantFrom(null, null, 'a', 'b', '__other__', ''),
  mapping: fc.constantFrom(null, null, null, null, null, null, { a: 'n2', b: '__end__' }),
  end: fc.constantFrom(null, null, null, null, null, null, null, null, 'missing', ''),
  priority: fc.constantFrom(0, 0, 0, 5),
});

const slotLabels: Readonly<Record<string, EdgeLabel>> = {
  ai_model: 'llm',
  conversation_memory: 'memory',
  output_parser: 'output_parser',
};

/** Most edges are such as a person would draw: they lead on, and their label suits their ends. */
export function edgeOf(
  nodes: readonly Node[],
  { ends: [from, to], isWild, label, route, mapping, end, priority }: DrawnEdge,
) {
  const [first, second] = [from % nodes.length, to % nodes.length];
  // An odd number: the edge begins, rather than ends, at a node that does not exist.
  const source = end === 'missing' && from % 2 === 1 ? undefined : nodes[first];
  const target = source === undefined ? nodes[second]?.nodeId : (end ?? nodes[second]?.nodeId);
  if (isWild) return fields(source, target ?? '', { label, route, mapping, priority });
  const [low, high] = first <= second ? [first, second] : [second, first];
  const [before, after] = [nodes[low], nodes[high]];
  if (before === undefined || after === undefined || low === high) return null;
  const slot = slotLabels[before.componentType] ?? slotLabels[after.componentType];
  if (slot !== undefined) {
    const isSource = slotLabels[before.componentType] !== undefined;
    const [sub, parent] = isSource ? [before, after] : [after, before];
    return fields(sub, parent.nodeId, { label: slot, route: null, mapping: null, priority });
  }
  const isRouted = before.componentType === 'switch' && route !== null && route !== '';
  const onward = { label: label === 'error' && !isRouted ? label : '', route: isRouted ? route : null } as const;
  return fields(before, after.nodeId, { ...onward, mapping: null, priority });
}

function fields(
  source: Node | undefined,
  targetNodeId: string,
  { label, route, mapping, priority }: Pick<DrawnEdge, 'label' | 'route' | 'mapping' | 'priority'>,
): EdgeFields {
  return {
    sourceNodeId: source?.nodeId ?? 'missing',
    targetNodeId,
    edgeType: route === null ? 'direct' : 'conditional',
    edgeLabel: label,
    conditionMapping: mapping,
    conditionValue: route ?? '',
    priority,
  };
}

/** Edges with their ids, each identity once. */
export function numbered(edges: readonly EdgeFields[]): readonly Edge[] {
  const unique = new Map(edges.map((edge) => [identity(edge), edge]));
  return [...unique.values()].map((edge, index) => ({ ...edge, id: index + 1 }));
}

/** For some loops a body of one node, so that whole loops are frequent. */
function bodyOf(nodes: readonly Node[]): EdgeFields[] {
  return nodes.flatMap((node, index) => {
    const next = nodes[index + 1];
    if (node.componentType !== 'loop' || next === undefined) return [];
    const usual = { route: null, mapping: null, priority: 0 };
    return [
      fields(node, next.nodeId, { ...usual, label: 'loop_body' }),
      fields(next, node.nodeId, { ...usual, label: 'loop_return' }),
    ];
  });
}

export const drawnGraphs: fc.Arbitrary<DrawnGraph> = fc
  .integer({ min: 2, max: maxNodes })
  .chain((count) =>
    fc.record({
      nodes: fc.tuple(...Array.from({ length: count }, (_none, index) => nodeAt(index))),
      edges: fc.array(drawnEdge, { minLength: 1, maxLength: 9 }),
      hasBodies: fc.boolean(),
    }),
  )
  .map(({ nodes, edges, hasBodies }) => {
    const drawn = [...(hasBodies ? bodyOf(nodes) : []), ...edges.map((edge) => edgeOf(nodes, edge))];
    return { nodes, edges: numbered(drawn.filter((edge) => edge !== null)) };
  });

function identity({ sourceNodeId, targetNodeId, edgeType, edgeLabel, conditionValue }: EdgeFields): string {
  return JSON.stringify([sourceNodeId, targetNodeId, edgeType, edgeLabel, conditionValue]);
}

/** The graph without an edge. */
export function without({ nodes, edges }: Graph, edge: Edge): Graph {
  return { nodes, edges: edges.filter((other) => other !== edge) };
}
