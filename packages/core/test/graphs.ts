import { z } from 'zod';
import { type Catalogue, type Component, defineComponent } from '../src/component/component.ts';
import { nodeConfig } from '../src/component/node-config.ts';
import type { Edge, Graph, Node } from '../src/graph/graph.ts';
import type { JsonObject } from '../src/json.ts';

const port = (name: string) => ({ name, dataType: 'any' as const, description: 'A value.' });

function component(type: string, extra: Omit<Partial<Component<never>>, 'config'> = {}): Component<never> {
  return defineComponent<never>({
    type,
    label: type,
    category: 'Logic',
    description: 'For tests.',
    icon: 'box',
    color: '#000000',
    inputs: [{ ...port('input'), required: false }],
    outputs: [port('output')],
    subInputs: [],
    effect: 'pure',
    version: 1,
    config: z.never(),
    run: () => ({ outputs: {} }),
    ...extra,
  });
}

const { run: _never, ...modelType } = component('model', {
  inputs: [],
  outputs: [{ ...port('model'), dataType: 'llm' }],
});

/** Enough node types for every shape: a start, a step, a switch, a gathering node, a loop, a node that calls others. */
export const catalogue: Catalogue = new Map(
  [
    component('start', { category: 'Triggers', inputs: [], outputs: [port('payload')] }),
    component('step'),
    component('keyed', { effect: 'keyed' }),
    component('switch', { outputs: [port('output'), port('route')], scopePaths: ['rules.*.field'] }),
    component('gather', { gathers: 'always' }),
    component('loop', { outputs: [port('results'), port('errors')], ownNames: ['on_error'] }),
    component('asks', {
      subInputs: [
        { name: 'model', dataType: 'llm', required: true, description: 'A model.' },
        { name: 'memory', dataType: 'memory', required: false, description: 'A memory.' },
      ],
    }),
    component('caller', {
      subInputs: [
        { name: 'model', dataType: 'llm', required: true, description: 'A model.' },
        { name: 'tools', dataType: 'tool', required: false, description: 'Tools.' },
      ],
      proceed: () => ({ outputs: {} }),
    }),
    component('tool', {
      outputs: [port('output'), { ...port('tool'), dataType: 'tool' }],
      tool: { description: 'For tests.', fills: [] },
    }),
    modelType,
  ].map((entry) => [entry.type, entry]),
);

/** A node of a test graph; `extra` is its `extra_config`, `common` the rest of its config. */
export function node(nodeId: string, componentType: string, extra: JsonObject = {}, common: JsonObject = {}): Node {
  return {
    id: nodeId.length,
    nodeId,
    label: null,
    componentType,
    isEntryPoint: false,
    interruptBefore: false,
    interruptAfter: false,
    positionX: 0,
    positionY: 0,
    config: nodeConfig.parse({ ...common, extra_config: extra }),
    subworkflowId: null,
    codeBlockId: null,
    updatedAt: 0,
  };
}

/** Parses `a -> b`, `a -[route]-> b`, and with a label `a -error-> b`, one per line; ids count from 1. */
function edges(text: string): Edge[] {
  return text
    .trim()
    .split('\n')
    .map((line, index) => {
      const match = /^\s*(\w+) -(?:\[(\w+)\]-|(\w+)-)?> (\w+)\s*$/.exec(line);
      if (match === null) throw new Error(`not an edge: ${line}`);
      const [, source = '', value, label, target = ''] = match;
      return {
        id: index + 1,
        sourceNodeId: source,
        targetNodeId: target,
        edgeType: value === undefined ? 'direct' : 'conditional',
        edgeLabel: (label ?? '') as Edge['edgeLabel'],
        conditionMapping: null,
        conditionValue: value ?? '',
        priority: 0,
      } satisfies Edge;
    });
}

export function graph(nodes: readonly Node[], text: string): Graph {
  return { nodes, edges: edges(text) };
}
