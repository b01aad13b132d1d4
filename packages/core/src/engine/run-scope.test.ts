import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { applyFact } from './fold/fold.ts';
import type { Fact } from './journal/history.ts';
import { planRun } from './plan.ts';
import { RunScope } from './run-scope.ts';
import { newRunState } from './run-state.ts';

const nodes = [
  node('hook', 'start'),
  node('other', 'start'),
  node('far', 'step'),
  node('s', 'switch'),
  node('a', 'step'),
  node('b', 'step'),
  node('c', 'step'),
];
const plan = planRun({
  graph: graph(nodes, 'hook -> s\nother -> far\ns -[x]-> a\ns -[y]-> b\na -> c'),
  catalogue,
  triggerNodeId: 'hook',
});
const common = { frame: '', at: 0 };
const done = (nodeId: string, outputs: Record<string, string>, route?: string): Fact => ({
  kind: 'step_succeeded',
  nodeId,
  ...common,
  attempt: 1,
  durationMs: 0,
  outputs,
  ...(route !== undefined && { route }),
});

const state = newRunState(plan);
for (const fact of [done('hook', { payload: 'p' }), done('s', { route: 'x' }, 'x')]) applyFact(state, fact);
applyFact(state, { kind: 'step_skipped', nodeId: 'b', ...common });
const scope = new RunScope(state, { trigger: { payload: { n: 1 }, text: 'hi' }, run: { id: 'r' } });

describe('the scope of expressions', () => {
  test.each([
    ['trigger', { payload: { n: 1 }, text: 'hi', content_type: null }],
    ['input', { n: 1 }],
    ['run', { id: 'r' }],
    ['s', { route: 'x' }],
    ['vars', {}],
    ['nothing', undefined],
    ['a', undefined],
    ['toString', undefined],
    ['__proto__', undefined],
  ])('contains the name %s', (name, value) => {
    expect(scope.lookup(name)).toEqual(value);
  });

  test('contains each finished node under nodes', () => {
    expect(Object.keys(scope.lookup('nodes') as object)).toEqual(['hook', 's']);
  });
});

describe('a missing value', () => {
  test.each([
    [['nodes', 'b', 'output'], "node 'b' was skipped in this run, so it has no output"],
    [['c', 'output'], "node 'c' has not run yet when this expression is evaluated"],
    [['other', 'payload'], "this run was started by 'hook'; trigger 'other' has a value only in runs that it starts"],
    [['nodes', 'far', 'output'], "no edges lead to node 'far' from 'hook', which started this run"],
    [['loop', 'item'], "'loop' exists only inside the body of a loop"],
  ])('is explained for %j', (path, reason) => {
    expect(scope.explain(path)).toBe(reason);
  });

  test('is left to the evaluator if the run has no explanation', () => {
    expect(scope.explain(['nothing'])).toBeUndefined();
    expect(scope.explain(['s', 'wrong'])).toBeUndefined();
  });
});
