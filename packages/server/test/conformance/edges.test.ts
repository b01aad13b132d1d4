import { edgeLabels, edgeTypes } from '@millrace/core/testkit';
import { describe, expect, it } from 'vitest';
import { startWorkflow } from '../support/app.ts';

/** A pair of nodes for each label, which its rules allow to connect. */
const pairs: Readonly<Record<string, readonly [source: string, target: string]>> = {
  '': ['template', 'agent'],
  llm: ['ai_model', 'agent'],
  tool: ['calculator', 'agent'],
  memory: ['memory_of_later', 'agent'],
  output_parser: ['parser_of_later', 'agent'],
  loop_body: ['loop', 'template'],
  loop_return: ['template', 'loop'],
  error: ['calculator', 'template'],
};

describe('edges', () => {
  it('accept exactly the types and labels of the specification, and `error`', () => {
    expect([...edgeTypes].sort()).toEqual(['conditional', 'direct']);
    expect([...edgeLabels].sort()).toEqual(Object.keys(pairs).sort());
  });

  it.each(Object.entries(pairs))('accept the label "%s"', async (edge_label, [source, target]) => {
    const api = await startWorkflow();
    for (const type of new Set([source, target])) {
      await api.post(`${api.path}/nodes/`, { node_id: type, component_type: type });
    }
    const body = { source_node_id: source, target_node_id: target, edge_label };
    const answer = await api.post(`${api.path}/edges/`, body);
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ edge_label })]);
  });

  it.each([
    { type: 'direct', rest: {} },
    { type: 'conditional', rest: { edge_type: 'conditional', condition_value: 'a' } },
  ])('accept the type $type', async ({ type, rest }) => {
    const api = await startWorkflow();
    for (const name of ['switch', 'template'])
      await api.post(`${api.path}/nodes/`, { node_id: name, component_type: name });
    const answer = await api.post(`${api.path}/edges/`, {
      source_node_id: 'switch',
      target_node_id: 'template',
      ...rest,
    });
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ edge_type: type })]);
  });
});
