import { expect, test } from 'vitest';
import type { GraphEdge } from '../../state/graph.ts';
import { upstreamOf } from './upstream.ts';

const edge = (text: string): GraphEdge => {
  const [source, target, label = ''] = text.split(' ');
  return { source_node_id: source, target_node_id: target, edge_label: label } as GraphEdge;
};
const edges = [
  'start fetch',
  'fetch each',
  'each a loop_body',
  'a b',
  'b each loop_return',
  'each after',
  'side after',
  'model agent llm',
  'after agent',
].map(edge);

test.each([
  ['fetch', ['start'], false],
  ['after', ['each', 'side', 'fetch', 'start'], false],
  ['b', ['a', 'each', 'fetch', 'start'], true],
  ['model', ['after', 'each', 'side', 'fetch', 'start'], false],
  ['start', [], false],
])('before %s are %j, in a loop: %s', (nodeId, nodeIds, isInLoop) => {
  expect(upstreamOf({ edges }, nodeId)).toEqual({ nodeIds, isInLoop });
});
