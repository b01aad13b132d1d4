import { expect, test } from 'vitest';
import type { Graph } from '../state/graph.ts';
import { triggerOf } from './partial-run.ts';

const nodes = [
  ['start', 'trigger_manual'],
  ['hook', 'trigger_webhook'],
  ['first', 'template'],
  ['second', 'agent'],
  ['model', 'ai_model'],
].map(([node_id, component_type]) => ({ node_id, component_type, config: {} }));
const edges = [
  ['start', 'first', ''],
  ['hook', 'second', ''],
  ['model', 'second', 'llm'],
].map(([source_node_id, target_node_id, edge_label]) => ({ source_node_id, target_node_id, edge_label }));
const graph = { nodes, edges } as unknown as Graph;

test('a run up to a node begins at a trigger that leads to the node', () => {
  expect(triggerOf(graph, 'first')).toBe('start');
  expect(triggerOf(graph, 'second')).toBe('hook');
  expect(triggerOf(graph, 'hook')).toBe('hook');
});

test('no run leads to a sub-component', () => {
  expect(triggerOf(graph, 'model')).toBeNull();
});
