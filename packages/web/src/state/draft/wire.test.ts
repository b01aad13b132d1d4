import { formatInstant } from '@millrace/core/editing';
import { expect, it } from 'vitest';
import type { GraphEdge, GraphNode } from '../graph.ts';
import { viewOf } from './view.ts';
import { answerFrom, graphFrom, requestBody, ShownGraphs } from './wire.ts';

const node = {
  id: 3,
  node_id: 'greet',
  label: 'Greets',
  component_type: 'template',
  is_entry_point: false,
  interrupt_before: true,
  interrupt_after: false,
  position_x: 240,
  position_y: -5,
  config: { extra_config: { text: 'Hello' } },
  subworkflow_id: 4,
  code_block_id: null,
  updated_at: formatInstant(1_767_225_600_000),
  schedule_job: null,
} as unknown as GraphNode;

const edge: GraphEdge = {
  id: 7,
  source_node_id: 'hook',
  target_node_id: 'greet',
  edge_type: 'conditional',
  edge_label: '',
  condition_mapping: null,
  condition_value: 'yes',
  priority: 2,
};

it('a graph of the API is shown as it was read, with the keys of edges, and unchanged objects are the same', () => {
  const graph = graphFrom({ version: 2, nodes: [node], edges: [edge] });
  const shown = new ShownGraphs();
  const first = shown.of(viewOf(graph, new Map([['mine', 7]])));
  expect(first).toEqual({ nodes: [node], edges: [{ ...edge, key: 'mine' }] });
  const again = shown.of(viewOf({ ...graph, version: 3 }, new Map([['mine', 7]])));
  expect([again.nodes[0], again.edges[0]]).toEqual([first.nodes[0], first.edges[0]]);
  expect(again.nodes[0]).toBe(first.nodes[0]);
  expect(again.edges[0]).toBe(first.edges[0]);
});

it('operations are sent with the names of the API, and answers are read back', () => {
  const graph = graphFrom({ version: 2, nodes: [node], edges: [edge] });
  const [read] = graph.nodes;
  const [line] = graph.edges;
  if (read === undefined || line === undefined) throw new Error('the graph is empty');
  const { id: _node, updatedAt: _at, ...newNode } = read;
  const { id: _edge, ...newEdge } = line;
  const { id: _id, updated_at: _time, schedule_job: _job, ...nodeBody } = node;
  const { id: _number, ...edgeBody } = edge;
  const request = requestBody({
    requestId: 'one',
    version: 2,
    operations: [
      { op: 'create_node', node: newNode },
      { op: 'update_node', nodeId: 'greet', changes: { positionX: 5 } },
      { op: 'delete_node', nodeId: 'greet' },
      { op: 'create_edge', edge: newEdge },
      { op: 'update_edge', edgeId: 7, changes: { targetNodeId: 'other' } },
      { op: 'delete_edge', edgeId: 7 },
    ],
  });
  expect(request).toEqual({
    request_id: 'one',
    version: 2,
    operations: [
      { op: 'create_node', node: nodeBody },
      { op: 'update_node', node_id: 'greet', changes: { position_x: 5 } },
      { op: 'delete_node', node_id: 'greet' },
      { op: 'create_edge', edge: edgeBody },
      { op: 'update_edge', edge_id: 7, changes: { target_node_id: 'other' } },
      { op: 'delete_edge', edge_id: 7 },
    ],
  });
  const results = [
    { op: 'create_node', node, edge: null },
    { op: 'create_edge', node: null, edge },
    { op: 'delete_edge', node: null, edge: null },
  ];
  expect(answerFrom({ version: 3, results })).toEqual({ version: 3, objects: [read, line, null] });
});
