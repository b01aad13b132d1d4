import { expect, test } from 'vitest';
import { connectionEdge } from './connection.ts';

const ends = { source: 'a', target: 'b' };
const edge = { source_node_id: 'a', target_node_id: 'b' };

test.each([
  ['out', 'in', edge],
  ['route:large', 'in', { ...edge, edge_type: 'conditional', condition_value: 'large' }],
  ['body', 'in', { ...edge, edge_label: 'loop_body' }],
  ['out', 'return', { ...edge, edge_label: 'loop_return' }],
  ['error', 'in', { ...edge, edge_label: 'error' }],
  ['out', 'model', { ...edge, edge_label: 'llm' }],
  ['out', 'tools', { ...edge, edge_label: 'tool' }],
  ['out', 'memory', { ...edge, edge_label: 'memory' }],
  ['out', 'output_parser', { ...edge, edge_label: 'output_parser' }],
])('a connection from %s to %s is the edge %j', (sourceHandle, targetHandle, expected) => {
  expect(connectionEdge({ ...ends, sourceHandle, targetHandle })).toEqual(expected);
});
