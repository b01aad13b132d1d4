import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { type Outcome, simulate } from '../../test/simulate.ts';
import type { Component } from '../component/component.ts';
import type { DataType } from '../component/ports.ts';
import type { Json } from '../json.ts';
import { planRun } from './plan.ts';

/** What `m` is given behind branches of these names, the last of which has the highest priority. */
function given(type: string, names: readonly string[]): Json | undefined {
  const lines = [...names.map((name) => `hook -> ${name}`), ...names.map((name) => `${name} -> m`)];
  const nodes = [node('hook', 'start'), ...names.map((name) => node(name, 'step')), node('m', type)];
  const { edges } = graph(nodes, lines.join('\n'));
  const ranked = edges.map((edge) => ({ ...edge, priority: edge.sourceNodeId === names.at(-1) ? 1 : 0 }));
  const types = new Map([...catalogue, ['several', severalOf(catalogue.get('gather'))]]);
  const plan = planRun({ graph: { nodes, edges: ranked }, catalogue: types, triggerNodeId: 'hook' });
  const inputs = new Map<string, Json>();
  const outcome = (nodeId: string, input: Json) => {
    inputs.set(nodeId, input);
    return { value: nodeId };
  };
  // Whatever ends last is picked first.
  simulate({ plan, outcome, pick: (count) => count - 1 });
  return inputs.get('m');
}

function severalOf(gather: Component<never> | undefined): Component<never> {
  if (gather === undefined) throw new Error('the test catalogue has no gather');
  return { ...gather, type: 'several', gathers: 'several' };
}

test('a node with several predecessors receives an object keyed by node id', () => {
  expect(given('step', ['a', 'b'])).toEqual({ a: 'a', b: 'b' });
});

test('a node with one predecessor receives its value alone', () => {
  expect(given('step', ['a'])).toBe('a');
});

test('a gathering node receives a list in the order of the edges: by priority, then by id, in any order of ends', () => {
  expect(given('gather', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
  expect(given('several', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
});

test('with one branch, a node that always gathers receives a list, and one that gathers several receives the value', () => {
  expect(given('gather', ['a'])).toEqual(['a']);
  expect(given('several', ['a'])).toBe('a');
});

describe('a node', () => {
  /** What `m` is given, which takes `dataType`, behind nodes that put out these values. */
  function inputWith(values: readonly Json[], dataType: DataType, lines = ''): Json | undefined {
    const sources = values.map((_value, index) => `v${index}`);
    const [step] = [catalogue.get('step')];
    if (step === undefined) throw new Error('the test catalogue has no step');
    const input = { name: 'in', dataType, required: false, description: 'A value.', suppliedBy: ['own'] };
    const plan = planRun({
      graph: graph(
        [
          node('hook', 'start'),
          node('each', 'loop'),
          ...sources.map((source) => node(source, 'step')),
          node('m', 'takes', lines === 'own' ? { own: 1 } : {}),
        ],
        lines === 'loop'
          ? 'hook -> each\neach -loop_body-> m\nm -loop_return-> each'
          : sources.map((source) => `hook -> ${source}\n${source} -> m`).join('\n'),
      ),
      catalogue: new Map([...catalogue, ['takes', { ...step, type: 'takes', inputs: [input] }]]),
      triggerNodeId: 'hook',
    });
    let seen: Json | undefined;
    const outcome = (nodeId: string, given: Json): Outcome => {
      if (nodeId === 'm') seen = given;
      if (nodeId === 'each') return { iterate: { items: values, concurrency: 1, onItemError: 'stop' } };
      return { value: values[sources.indexOf(nodeId)] ?? null };
    };
    simulate({ plan, outcome });
    return seen;
  }

  test('converts its input to the type of the port, also in a loop and with several predecessors', () => {
    expect(inputWith([{ a: 1 }], 'text')).toBe('{"a":1}');
    expect(inputWith([{ a: 1 }], 'any')).toEqual({ a: 1 });
    expect(inputWith([7], 'text', 'loop')).toBe('7');
    expect(inputWith([7, 'b'], 'text')).toBe('{"v0":7,"v1":"b"}');
    expect(inputWith([7, 'b'], 'object')).toEqual({ v0: 7, v1: 'b' });
  });

  test('gets no input if its config supplies it', () => {
    expect(inputWith(['x'], 'text', 'own')).toBeNull();
    expect(inputWith(['x', 'y'], 'any', 'own')).toBeNull();
  });
});
