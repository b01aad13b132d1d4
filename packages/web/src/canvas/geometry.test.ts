import { describe, expect, test } from 'vitest';
import type { NodeType } from '../api/node-types.ts';
import type { GraphEdge, GraphNode } from '../state/graph.ts';
import { geometryOf } from './geometry.ts';
import { returnPath } from './return-path.ts';

const port = (name: string, data_type: string) => ({ name, data_type, description: '', required: false });
const type = (parts: object) => ({ inputs: [], outputs: [], sub_inputs: [], ...parts }) as unknown as NodeType;
const node = (component_type: string, extra_config: object = {}) =>
  ({ node_id: 'n', component_type, config: { extra_config } }) as unknown as GraphNode;
const portsOf = (...given: Parameters<typeof geometryOf>) =>
  geometryOf(...given).ports.map(({ id, side }) => `${id} ${side}`);

describe('the ports of a card', () => {
  test('of a step are an input and an output at the same height', () => {
    const step = type({ inputs: [port('input', 'any')], outputs: [port('output', 'any')] });
    const { ports } = geometryOf(node('template'), step, []);
    expect(ports.map(({ id, side, y }) => [id, side, y])).toEqual([
      ['in', 'left', 32],
      ['out', 'right', 32],
    ]);
  });

  test('of a trigger are only an output, and of a model only one at the top', () => {
    expect(portsOf(node('trigger_manual'), type({ outputs: [port('payload', 'any')] }), [])).toEqual(['out right']);
    expect(portsOf(node('ai_model'), type({ outputs: [port('model', 'llm')] }), [])).toEqual(['sub top']);
  });

  test('of a tool that is also a step are those of both', () => {
    const tool = type({ inputs: [port('input', 'any')], outputs: [port('output', 'any'), port('tool', 'tool')] });
    expect(portsOf(node('calculator'), tool, [])).toEqual(['sub top', 'in left', 'out right']);
  });
  test('of a loop include those of its body', () => {
    const loop = type({ inputs: [port('items', 'array')], outputs: [port('results', 'array')] });
    expect(portsOf(node('loop'), loop, [])).toEqual(['in left', 'return left', 'body right', 'out right']);
  });
  test('of an agent include a slot for each sub-component, within the card', () => {
    const agent = type({
      inputs: [port('input', 'any')],
      outputs: [port('output', 'any')],
      sub_inputs: [port('model', 'llm'), port('tools', 'tool')],
    });
    const { ports, width } = geometryOf(node('agent'), agent, []);
    const slots = ports.filter(({ side }) => side === 'bottom');
    expect(slots.map(({ id }) => id)).toEqual(['model', 'tools']);
    expect(slots.every(({ x }) => x > 0 && x < width)).toBe(true);
  });

  test('of a switch include each route of its rules and of its edges once, and the other route last', () => {
    const config = { rules: [{ id: 'a' }, { id: 'b' }, { id: 'a' }], enable_fallback: true };
    const edge = { source_node_id: 'n', edge_type: 'conditional', condition_value: 'c' } as GraphEdge;
    const step = type({ inputs: [port('input', 'any')], outputs: [port('output', 'any')] });
    const { ports, height } = geometryOf(node('switch', config), step, [edge]);
    const routes = ports.filter(({ id }) => id.startsWith('route:'));
    expect(routes.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'other']);
    expect(routes.every(({ y }) => y < height)).toBe(true);
  });
});

test('the line back to a loop runs below both of its ends', () => {
  const { path, label } = returnPath({ x: 500, y: 40 }, { x: 0, y: 100 });
  expect(label).toEqual({ x: 250, y: 156 });
  expect(path.startsWith('M 500 40')).toBe(true);
  expect(path.endsWith('L 0 100')).toBe(true);
});
