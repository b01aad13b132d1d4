import { describe, expect, test } from 'vitest';
import type { Graph } from '../state/graph.ts';
import { replayPlan } from './replay-plan.ts';

const node = (node_id: string, component_type: string, extra_config: object = {}) => ({
  node_id,
  component_type,
  config: { extra_config },
});
const edge = (source_node_id: string, target_node_id: string, edge_label = '') => ({
  source_node_id,
  target_node_id,
  edge_label,
});

const graph = {
  nodes: [
    node('start', 'trigger_manual'),
    node('load', 'http_request'),
    node('each', 'loop'),
    node('send', 'http_request', { method: 'POST' }),
    node('sum', 'aggregator'),
    node('notify', 'mail'),
    node('model', 'ai_model'),
  ],
  edges: [
    edge('start', 'load'),
    edge('load', 'each'),
    edge('each', 'send', 'loop_body'),
    edge('send', 'each', 'loop_return'),
    edge('each', 'sum'),
    edge('sum', 'notify'),
    edge('model', 'notify', 'llm'),
  ],
} as unknown as Graph;
const logs = ['start', 'load', 'each', 'sum'].map((node_id) => ({ node_id, frame: '', status: 'success' }));
const run = { graph, logs, types: { mail: { effect: 'once' } } } as unknown as Parameters<typeof replayPlan>[0];

describe('the plan of a replay', () => {
  test('reuses the results before the node, and performs it and everything after it', () => {
    const plan = replayPlan(run, 'sum');
    expect(plan.reused).toEqual(['start', 'load', 'each']);
    expect(plan.performed).toEqual([
      { nodeId: 'sum', effect: null },
      { nodeId: 'notify', effect: 'acts on another system again' },
    ]);
    expect(plan.inputs).toEqual(['each']);
  });

  test('from a node in a loop performs the whole loop, with what its body does', () => {
    const plan = replayPlan(run, 'send');
    expect(plan.from).toBe('each');
    expect(plan.reused).toEqual(['start', 'load']);
    expect(plan.performed[1]).toEqual({ nodeId: 'send', effect: 'sends its POST request again' });
    expect(plan.inputs).toEqual(['load']);
  });

  test('from the trigger reuses nothing', () => {
    const plan = replayPlan(run, 'start');
    expect(plan.reused).toEqual([]);
    expect(plan.performed.length).toBe(6);
    expect(plan.performed.find(({ nodeId }) => nodeId === 'load')?.effect).toBeNull();
  });
});
