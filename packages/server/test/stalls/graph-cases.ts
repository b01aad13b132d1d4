import type { Json } from '@millrace/core';
import { longList } from './hostile-values.ts';
import type { Dice, EdgeSketch, MakeCase, StepSketch } from './stall-case.ts';

const step: StepSketch = { type: 'template', config: { template: 'x' } };

/** Steps and the edges between them. */
interface Shape {
  readonly name: string;
  readonly count: number;
  readonly edges: readonly EdgeSketch[];
}

function chain(count: number): Shape {
  return { name: 'chain', count, edges: Array.from({ length: count }, (_, index) => ({ from: index - 1, to: index })) };
}

function fan(count: number): Shape {
  const out = Array.from({ length: count - 1 }, (_, to) => ({ from: -1, to }));
  return { name: 'fan', count, edges: [...out, ...out.map(({ to }) => ({ from: to, to: count - 1 }))] };
}

/** Layers of which each node leads to each node of the next layer. */
function layers(count: number): Shape {
  const width = Math.max(1, Math.floor(Math.sqrt(count / 4)));
  const edges = Array.from({ length: count }, (_, to): EdgeSketch[] => {
    const layer = Math.floor(to / width);
    if (layer === 0) return [{ from: -1, to }];
    return Array.from({ length: width }, (_node, at) => ({ from: (layer - 1) * width + at, to }));
  });
  return { name: 'layers', count, edges: edges.flat().slice(0, 4000) };
}

function apart(count: number): Shape {
  return { name: 'separate nodes', count, edges: [{ from: -1, to: 0 }] };
}

function circles(count: number): Shape {
  const edges = Array.from({ length: count }, (_, from) => ({ from, to: (from + 1) % count }));
  return { name: 'a circle', count, edges: [{ from: -1, to: 0 }, ...edges] };
}

function shapeOf(dice: Dice, most: number): Shape {
  return dice.pick([chain, fan, layers, apart, circles])(dice.size(most / 4, most));
}

/** A large graph that runs. */
const manyNodes: MakeCase = (dice) => {
  const { name, count, edges } = shapeOf(dice, 900);
  const each = dice.pick<StepSketch>([
    step,
    { type: 'transform', config: { expression: 'input' } },
    { type: 'switch', config: { rules: [{ id: 'a', field: 'trigger.payload.a', operator: 'exists' }] } },
    { type: 'merge', config: {} },
  ]);
  const steps = Array.from({ length: count }, () => each);
  return { kind: 'run', name: `graph: ${name} of ${count} × ${each.type}`, steps, edges, payload: { a: 1 } };
};

/** A large graph that is read, checked and changed. */
const servedGraph: MakeCase = (dice) => {
  const { name, count, edges } = shapeOf(dice, 1300);
  const operations: Json[] = [
    ...Array.from({ length: count }, (_, index) => ({ op: 'create_node', node: nodeOf(index) })),
    ...edges
      .filter(({ from }) => from >= 0)
      .map(({ from, to }) => ({ op: 'create_edge', edge: { source_node_id: `s${from}`, target_node_id: `s${to}` } })),
  ];
  const path = '/api/v1/workflows/{{ slug }}/';
  const requests = [
    { method: 'POST', path: `${path}graph/`, body: { version: 1, operations } },
    { method: 'GET', path },
    { method: 'POST', path: `${path}validate/` },
    { method: 'GET', path: `${path}export/` },
    { method: 'PATCH', path: `${path}nodes/s0/`, body: { node_id: 'renamed' } },
    { method: 'POST', path: `${path}publish/`, body: {} },
    { method: 'DELETE', path },
  ] as const;
  return { kind: 'request', name: `served graph: ${name} of ${count}`, requests };
};

function nodeOf(index: number): Json {
  const template = `{{ nodes.s${Math.max(0, index - 1)}.output }} {{ s${index} }}`;
  return { node_id: `s${index}`, component_type: 'template', config: { extra_config: { template } } };
}

/** A loop over as many items as may be. */
const loopItems: MakeCase = (dice) => {
  const config = {
    ...dice.pick([{}, { concurrency: 1000 }, { concurrency: 50, on_error: 'continue' }, { batch_size: 10 }]),
  };
  const body = dice.pick<StepSketch>([
    { type: 'template', config: { template: '{{ loop.item }} {{ loop.index }}' } },
    { type: 'transform', config: { expression: 'trigger.payload.l' } },
    { type: 'transform', config: { expression: 'loop.item.missing' } },
    { type: 'transform', config: { expression: 'trigger.payload.l|length' } },
  ]);
  const count = dice.size(1000, 4000);
  const items = longList(dice) as readonly Json[];
  const steps: StepSketch[] = [
    { type: 'transform', config: { expression: `trigger.payload.l[:${count}]` } },
    { type: 'loop', config },
    body,
  ];
  const edges: EdgeSketch[] = [
    { from: -1, to: 0 },
    { from: 0, to: 1 },
    { from: 1, to: 2, label: 'loop_body' },
    { from: 2, to: 1, label: 'loop_return' },
  ];
  const name = `loop over ${count}: ${JSON.stringify(body.config)} ${JSON.stringify(config)}`;
  return { kind: 'run', name, steps, edges, payload: { l: items } };
};

/** Graphs and loops. */
export const graphCases: readonly MakeCase[] = [manyNodes, servedGraph, loopItems];
