import { expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { fold } from '../../test/simulate.ts';
import { planRun } from './plan.ts';
import { position } from './position.ts';

const nodes = [node('hook', 'start'), node('a', 'step'), node('b', 'step')];
const plan = planRun({
  graph: graph(nodes, 'hook -> a\nhook -> b'),
  catalogue,
  triggerNodeId: 'hook',
});
const began = { nodeId: 'hook', frame: '', at: 0, attempt: 1, durationMs: 0, outputs: {} } as const;

test('a run at one node has the position of that node, one at several has no single node', () => {
  expect(position(fold(plan, []))).toEqual({ sentence: "It was at node 'hook'.", nodeId: 'hook' });
  expect(position(fold(plan, [{ kind: 'step_succeeded', ...began }]))).toEqual({
    sentence: "It was at nodes 'a', 'b'.",
    nodeId: null,
  });
});

test('a run at no node is described as such', () => {
  const ended = [
    { kind: 'step_succeeded', ...began },
    ...['a', 'b'].map((nodeId) => ({ kind: 'step_succeeded', ...began, nodeId }) as const),
  ] as const;
  expect(position(fold(plan, ended))).toEqual({ sentence: 'It was at no node.', nodeId: null });
});
