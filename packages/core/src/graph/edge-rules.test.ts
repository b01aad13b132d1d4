import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import type { Component } from '../component/component.ts';
import { type DataType, dataTypes, type InputPort } from '../component/ports.ts';
import type { JsonObject } from '../json.ts';
import { canConnect, checkEdge, type EdgeDraft } from './edge-rules.ts';
import { edgeLabels } from './graph.ts';

function port(name: string, dataType: DataType): InputPort {
  return { name, dataType, required: false, description: 'A value.' };
}

function typeWith(type: string, ports: Partial<Component<never>>): Component<never> {
  const [base] = catalogue.values();
  if (base === undefined) throw new Error('the test catalogue is empty');
  return { ...base, type, inputs: [], outputs: [], subInputs: [], ...ports };
}

const dataType = fc.constantFrom(...dataTypes);
const ports = fc.array(
  dataType.map((type) => port(`p_${type}`, type)),
  { maxLength: 3 },
);
const slots = fc.subarray([
  port('model', 'llm'),
  port('tools', 'tool'),
  port('memory', 'memory'),
  port('output_parser', 'output_parser'),
]);
const type = fc
  .record({ inputs: ports, outputs: ports, subInputs: slots })
  .map((shape) => typeWith('generated', shape));

/** The interface's rules for types, written independently of the tables in the code. */
function mayFlow(source: DataType, target: DataType): boolean {
  const special = ['llm', 'tool', 'memory', 'output_parser'];
  if (special.includes(source) || special.includes(target)) return source === target;
  return (
    source === target ||
    source === 'any' ||
    target === 'any' ||
    (target === 'text' && ['number', 'boolean', 'array', 'object'].includes(source))
  );
}

describe('an edge between two types', () => {
  it('without a label connects the first output to the first input, and needs both', () => {
    fc.assert(
      fc.property(type, type, (source, target) => {
        const [output, input] = [source.outputs[0], target.inputs[0]];
        const may = output !== undefined && input !== undefined && mayFlow(output.dataType, input.dataType);
        expect(canConnect(source, target, '') === null).toBe(may);
      }),
    );
  });

  it.each([
    ['llm', 'model'],
    ['tool', 'tools'],
    ['memory', 'memory'],
    ['output_parser', 'output_parser'],
  ] as const)('labelled %s needs the sub-input %s, and any output of its type', (label, slot) => {
    fc.assert(
      fc.property(type, type, (source, target) => {
        const may =
          target.subInputs.some(({ name }) => name === slot) &&
          source.outputs.some((output) => output.dataType === label);
        expect(canConnect(source, target, label) === null).toBe(may);
      }),
    );
  });

  it.each(['loop_body', 'loop_return'] as const)('labelled %s connects any types', (label) => {
    fc.assert(fc.property(type, type, (source, target) => canConnect(source, target, label) === null));
  });

  it('that does not match names the types', () => {
    const [text, list] = [
      typeWith('say', { outputs: [port('output', 'text')] }),
      typeWith('keep', { inputs: [port('items', 'array')] }),
    ];
    expect(canConnect(text, list, '')).toBe(
      "Source type 'say' output 'output' (text) is not compatible with target 'keep' input 'items' (array)",
    );
  });
});

describe('an edge', () => {
  const keyed = (dataType: DataType) => ({ ...port('value', dataType), suppliedBy: ['value', 'other'] });
  const draft = { edgeType: 'direct', conditionMapping: null, conditionValue: '', priority: 0 } as const;
  const check = (types: readonly Component<never>[], edgeLabel: EdgeDraft['edgeLabel'], extra: JsonObject) =>
    checkEdge({
      edge: { ...draft, sourceNodeId: 'a', targetNodeId: 'b', edgeLabel },
      graph: { nodes: [node('a', 'source'), node('b', 'target', extra)], edges: [] },
      catalogue: new Map(types.map((each) => [each.type, each])),
    });
  const run = () => ({ outputs: {} });

  it('into a node whose config supplies its input only orders execution, whatever the types', () => {
    fc.assert(
      fc.property(
        type,
        dataType,
        fc.constantFrom('', 'error'),
        fc.constantFrom('value', 'other'),
        (shape, into, label, key) => {
          const source = { ...shape, type: 'source', run };
          const types = [source, typeWith('target', { inputs: [keyed(into)], run })];
          expect(check(types, label as '', { [key]: null })).toBeNull();
          expect(check(types, label as '', { another: 1 })?.kind ?? null).toBe(
            canConnect(source, typeWith('target', { inputs: [keyed(into)] }), label as '') === null ? null : 'types',
          );
        },
      ),
    );
  });

  it('from a node that never runs orders nothing, so its types must match', () => {
    const { run: _never, ...model } = typeWith('source', { outputs: [port('model', 'llm')] });
    const types = [model, typeWith('target', { inputs: [keyed('text')], run })];
    expect(check(types, '', { value: 'own' })).toMatchObject({ kind: 'types' });
  });

  it('from an output that a connected sub-input decides may carry a value of any type', () => {
    const parsed = { ...port('output', 'text'), typedBy: 'output_parser' };
    const types = [
      typeWith('source', { outputs: [parsed], subInputs: [port('output_parser', 'output_parser')], run }),
      typeWith('target', { inputs: [port('items', 'array')], run }),
      typeWith('parser', { outputs: [port('parser', 'output_parser')] }),
    ];
    const nodes = [node('a', 'source'), node('b', 'target'), node('p', 'parser')];
    const kind = (edges: string) =>
      checkEdge({
        edge: { ...draft, sourceNodeId: 'a', targetNodeId: 'b', edgeLabel: '' },
        graph: graph(nodes, edges),
        catalogue: new Map(types.map((each) => [each.type, each])),
      })?.kind;
    expect(kind('p -output_parser-> a')).toBeUndefined();
    expect(kind('p -output_parser-> b')).toBe('types');
  });

  it('cannot lead into a node without inputs, whatever its config contains', () => {
    const types = [typeWith('source', { outputs: [port('output', 'any')], run }), typeWith('target', { run })];
    expect(check(types, '', { value: 'own' })).toMatchObject({ kind: 'types' });
  });
});

const nodes = [
  node('start', 'start'),
  node('route', 'switch'),
  node('step', 'step'),
  node('odd', 'not_in_the_catalogue'),
];
const nodeId = fc.constantFrom('start', 'route', 'step', 'odd', 'missing', '');
const draft: fc.Arbitrary<EdgeDraft> = fc.record({
  sourceNodeId: nodeId,
  targetNodeId: nodeId,
  edgeType: fc.constantFrom('direct', 'conditional'),
  edgeLabel: fc.constantFrom(...edgeLabels),
  conditionMapping: fc.constant(null),
  conditionValue: fc.constantFrom('', 'a'),
  priority: fc.integer(),
});
const empty = graph(nodes, 'missing -> nothing');

describe('any edge', () => {
  it('that violates several rules reports the first, in the order of the specification', () => {
    fc.assert(
      fc.property(draft, (edge) => {
        fc.pre(edge.edgeType === 'conditional');
        const issue = checkEdge({ edge, graph: empty, catalogue });
        const message = issue?.kind === 'rule' ? issue.message : '';
        if (edge.conditionValue === '') expect(message).toBe('Conditional edges require a non-empty condition_value');
        else if (edge.targetNodeId === '') expect(message).toBe('Conditional edges require a non-empty target_node_id');
        else if (edge.sourceNodeId !== 'route')
          expect(message).toBe("Conditional edges can only originate from 'switch' nodes");
      }),
    );
  });

  it('that is valid is a duplicate after it was added, and never of itself', () => {
    fc.assert(
      fc.property(draft, fc.integer(), (edge, priority) => {
        if (checkEdge({ edge, graph: empty, catalogue }) !== null) return;
        const made = { ...edge, id: 7 };
        const after = { nodes, edges: [...empty.edges, made] };
        expect(checkEdge({ edge: { ...edge, priority }, graph: after, catalogue })?.kind).toBe('duplicate');
        expect(checkEdge({ edge, id: 7, graph: after, catalogue })).toBeNull();
      }),
    );
  });

  it('is checked for types only if both nodes and their types are known', () => {
    fc.assert(
      fc.property(draft, (edge) => {
        const known = ['start', 'route', 'step'];
        const issue = checkEdge({ edge, graph: empty, catalogue });
        if (issue?.kind === 'types')
          expect(known).toEqual(expect.arrayContaining([edge.sourceNodeId, edge.targetNodeId]));
      }),
    );
  });
});
