import { expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { simulate } from '../../test/simulate.ts';
import type { Json } from '../json.ts';
import { pastScope } from './past-scope.ts';
import { planRun } from './plan.ts';
import { RunScope } from './run-scope.ts';
import { newRunState } from './run-state.ts';

const nodes = [
  node('hook', 'start'),
  node('first', 'step'),
  node('outer', 'loop'),
  node('a', 'step'),
  node('inner', 'loop'),
  node('b', 'step'),
  node('c', 'step'),
  node('after', 'step'),
];
const edges = [
  'hook -> first\nfirst -> outer\nouter -loop_body-> a\na -> inner\ninner -loop_body-> b\nb -> c',
  'c -loop_return-> inner\ninner -loop_return-> outer\nouter -> after',
];
const plan = planRun({ graph: graph(nodes, edges.join('\n')), catalogue, triggerNodeId: 'hook' });
const trigger = { payload: { n: 1 }, text: '' };
const names = ['trigger', 'nodes', 'loop', 'a', 'b', 'outer'];

test('the past scope of each node is the one that its last step had', () => {
  const seen = new Map<string, Record<string, Json | undefined>>();
  const facts = simulate({
    plan,
    outcome: (nodeId, _input, step) => {
      const scope = new RunScope(newRunState(plan), { trigger, run: {} }).in(step.frame);
      seen.set(nodeId, structuredClone(Object.fromEntries(names.map((name) => [name, scope.lookup(name)]))));
      if (nodeId === 'outer') return { iterate: { items: ['x', 'y'], concurrency: 1, onItemError: 'stop' } };
      if (nodeId === 'inner') return { iterate: { items: [1, 2], concurrency: 1, onItemError: 'stop' } };
      return { value: `${step.frame.key} ${nodeId}` };
    },
  });
  const journal = facts.map((fact, index) => ({ seq: index + 1, fact }));
  expect([...seen.keys()].sort()).toEqual(nodes.map(({ nodeId }) => nodeId).sort());
  for (const [nodeId, values] of seen) {
    const scope = pastScope({ plan, journal, facts: { trigger, run: {} } }, nodeId);
    expect({ nodeId, ...Object.fromEntries(names.map((name) => [name, scope.lookup(name)])) }).toEqual({
      nodeId,
      ...values,
    });
  }
});

test('a node that the run did not reach has the values at the end of the run', () => {
  const facts = simulate({ plan, outcome: (nodeId) => ({ value: nodeId }) });
  const journal = facts.map((fact, index) => ({ seq: index + 1, fact }));
  const scope = pastScope({ plan, journal, facts: { trigger, run: {} } }, 'new');
  expect(Object.keys(scope.lookup('nodes') as object)).toContain('first');
  expect(scope.lookup('loop')).toBeUndefined();
});
