import { describe, expect, test } from 'vitest';
import type { Graph, GraphNode } from '../../state/graph.ts';
import { problemsOf } from './problem.ts';

const node = (id: string, type: string, label: string | null = null) =>
  ({ node_id: id, component_type: type, label }) as GraphNode;
const graph: Graph = { nodes: [node('a', 'agent', 'Triage'), node('m', 'ai_model')], edges: [] };
const issue = { code: 'field', severity: 'warning', message: 'm' } as const;

describe('the problems of a graph', () => {
  test('begin with the errors, and name the node and its field', () => {
    const problems = problemsOf(
      [
        { ...issue, node_id: 'a', field: 'extra_config.rules.0.value' },
        { ...issue, severity: 'error', node_id: 'a', field: 'system_prompt' },
      ],
      graph,
      {},
    );
    expect(problems.map(({ isError, place, field }) => [isError, place, field])).toEqual([
      [true, 'Triage › system prompt', 'system_prompt'],
      [false, 'Triage › rules › 1 › value', 'rules'],
    ]);
  });

  test('do not repeat in their messages the node and the field that they name', () => {
    const wrong = { ...issue, node_id: 'a', field: 'extra_config.body.text', message: '' };
    const messageOf = (message: string) => problemsOf([{ ...wrong, message }], graph, {})[0]?.message;
    expect(messageOf("Node 'a', extra_config.body.text: Unknown name 'x'")).toBe("Unknown name 'x'");
    expect(messageOf("Node 'a' is alone")).toBe("Node 'a' is alone");
  });

  test('offer to connect the model that exists', () => {
    const missing = { ...issue, code: 'missing_connection', node_id: 'a', message: "is missing required 'model'" };
    expect(problemsOf([missing], graph, {})[0]?.fix).toEqual({
      name: 'Connect m',
      operations: [{ op: 'create_edge', edge: { source_node_id: 'm', target_node_id: 'a', edge_label: 'llm' } }],
    });
  });

  test('offer to delete what is never used', () => {
    const [unreachable, unused] = problemsOf(
      [
        { ...issue, code: 'unreachable', node_id: 'a' },
        { ...issue, code: 'unused_route', edge_id: 7 },
      ],
      graph,
      {},
    );
    expect(unreachable?.fix?.operations).toEqual([{ op: 'delete_node', node_id: 'a' }]);
    expect(unused?.fix?.operations).toEqual([{ op: 'delete_edge', edge_id: 7 }]);
  });
});
