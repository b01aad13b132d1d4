import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { fold, type Outcome, simulate, trigger } from '../../../test/simulate.ts';
import type { Json } from '../../json.ts';
import { advance } from '../advance.ts';
import type { Fact } from '../journal/history.ts';
import { type Plan, planRun } from '../plan.ts';
import { RunScope } from '../run-scope.ts';
import { newRunState } from '../run-state.ts';
import { applyFact } from './fold.ts';

const plan = (...[nodes, text]: Parameters<typeof graph>): Plan =>
  planRun({ graph: graph([node('hook', 'start'), ...nodes], text), catalogue, triggerNodeId: 'hook' });
const over = (items: readonly Json[], rest = {}): Outcome => ({
  iterate: { items, concurrency: 1, onItemError: 'stop', ...rest },
});
const path = (journal: readonly Fact[]): string[] =>
  journal.map((fact) => {
    if (fact.kind === 'run_finished') return fact.status;
    const name = fact.frame === '' ? fact.nodeId : `${fact.frame}/${fact.nodeId}`;
    const signs = {
      step_started: '*',
      step_stopped: 'x',
      step_skipped: '-',
      loop_started: '+',
      calls_opened: '@',
      step_failed: '!',
      step_paused: '?',
      step_resumed: '=',
    };
    const sign = fact.kind === 'step_succeeded' ? '' : signs[fact.kind];
    return `${sign}${name}`;
  });
const output = (journal: readonly Fact[]): Json => {
  const last = journal.at(-1);
  return last?.kind === 'run_finished' ? last.output : null;
};
const outputsOf = (journal: readonly Fact[], nodeId: string): Json | undefined =>
  journal.flatMap((fact) => (fact.kind === 'step_succeeded' && fact.nodeId === nodeId ? [fact.outputs] : [])).at(-1);

/** `hook -> each`, with the body `a`, followed by `end`. */
const simple = (loop = {}, step = {}) =>
  plan(
    [node('each', 'loop', loop), node('a', 'step', step), node('end', 'step')],
    'hook -> each\neach -loop_body-> a\na -loop_return-> each\neach -> end',
  );
const doubled =
  (items: readonly Json[], rest = {}) =>
  (nodeId: string, input: Json): Outcome => {
    if (nodeId === 'each') return over(items, rest);
    return { value: nodeId === 'a' ? [input, input] : input };
  };

describe('a loop', () => {
  test('runs its body once for each item, each in its own frame, and continues with the returned values', () => {
    const journal = simulate({ plan: simple(), outcome: doubled([1, 2]) });
    expect(path(journal)).toEqual(['hook', '+each', 'each[0]/a', 'each[1]/a', 'each', 'end', 'completed']);
    expect(output(journal)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(outputsOf(journal, 'each')).toMatchObject({ errors: [] });
  });

  test('without items ends at once with no results', () => {
    const journal = simulate({ plan: simple(), outcome: doubled([]) });
    expect(path(journal)).toEqual(['hook', '+each', 'each', 'end', 'completed']);
    expect(output(journal)).toEqual([]);
  });

  test('preserves the order of the items, whichever ends first', () => {
    const outcome = doubled([1, 2, 3], { concurrency: 3 });
    const journal = simulate({ plan: simple(), outcome, pick: (count) => count - 1 });
    expect(path(journal).slice(2, 5)).toEqual(['each[2]/a', 'each[1]/a', 'each[0]/a']);
    expect(output(journal)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('runs at most as many items at once as its concurrency allows', () => {
    const state = newRunState(simple());
    for (const fact of simulate({ plan: simple(), outcome: doubled([1, 2, 3], { concurrency: 2 }) }).slice(0, 2)) {
      applyFact(state, fact);
    }
    expect([...state.frames.keys()]).toEqual(['each[0]', 'each[1]']);
  });

  test('discards the state of each item that has ended', () => {
    const state = newRunState(simple());
    for (const fact of simulate({ plan: simple(), outcome: doubled([1, 2, 3]) })) {
      applyFact(state, fact);
      expect(state.frames.size).toBeLessThan(2);
    }
    expect(state.frames.size).toBe(0);
    expect(state.root.steps.get('each')?.loop).toBeNull();
  });

  test('has null for an item without a returned value', () => {
    const routed = plan(
      [node('each', 'loop'), node('s', 'switch'), node('a', 'step')],
      'hook -> each\neach -loop_body-> s\ns -[x]-> a\na -loop_return-> each',
    );
    const outcome = (nodeId: string, input: Json): Outcome =>
      nodeId === 'each' ? over(['x', 'y']) : nodeId === 's' ? { route: String(input) } : { value: 'taken' };
    const journal = simulate({ plan: routed, outcome });
    expect(path(journal)).toContain('-each[1]/a');
    expect(output(journal)).toEqual(['taken', null]);
  });

  test('keys the values that several nodes return for one item by node id', () => {
    const twice = plan(
      [node('each', 'loop'), node('a', 'step'), node('b', 'step')],
      'hook -> each\neach -loop_body-> a\neach -loop_body-> b\na -loop_return-> each\nb -loop_return-> each',
    );
    const journal = simulate({ plan: twice, outcome: (id) => (id === 'each' ? over([1]) : { value: id }) });
    expect(output(journal)).toEqual([{ a: 'a', b: 'b' }]);
  });

  test('may be in the body of another loop', () => {
    const nested = plan(
      [node('outer', 'loop'), node('inner', 'loop'), node('a', 'step')],
      'hook -> outer\nouter -loop_body-> inner\ninner -loop_body-> a\na -loop_return-> inner\ninner -loop_return-> outer',
    );
    const outcome = (nodeId: string, input: Json): Outcome => {
      if (nodeId === 'outer') return over([[1, 2], [3]]);
      return nodeId === 'inner' ? over(input as Json[]) : { value: input };
    };
    const journal = simulate({ plan: nested, outcome });
    expect(path(journal)).toEqual([
      'hook',
      '+outer',
      '+outer[0]/inner',
      'outer[0]/inner[0]/a',
      'outer[0]/inner[1]/a',
      'outer[0]/inner',
      '+outer[1]/inner',
      'outer[1]/inner[0]/a',
      'outer[1]/inner',
      'outer',
      'completed',
    ]);
    expect(output(journal)).toEqual([[1, 2], [3]]);
  });
});

describe('an item that fails', () => {
  const failing =
    (items: readonly Json[], rest = {}) =>
    (nodeId: string, input: Json): Outcome =>
      nodeId === 'a' && input === 'bad' ? { fails: true } : doubled(items, rest)(nodeId, input);

  test('fails its loop, which names the item, and the run', () => {
    const journal = simulate({ plan: simple(), outcome: failing([1, 'bad', 3]) });
    expect(path(journal)).toEqual(['hook', '+each', 'each[0]/a', '!each[1]/a', '!each', 'failed']);
    expect(journal.at(-1)).toMatchObject({
      nodeId: 'each',
      failure: { message: "Node 'each' failed: Iteration each[1]: node 'a' failed: It failed." },
    });
  });

  test('becomes null and an entry of errors if the loop continues on errors', () => {
    const journal = simulate({ plan: simple(), outcome: failing(['bad', 2], { onItemError: 'continue' }) });
    expect(path(journal)).toEqual(['hook', '+each', '!each[0]/a', 'each[1]/a', 'each', 'end', 'completed']);
    expect(outputsOf(journal, 'each')).toEqual({
      results: [null, [2, 2]],
      errors: [{ index: 0, item: 'bad', node_id: 'a', error: 'It failed.', error_code: 'step_crashed' }],
    });
  });

  test('stops all other steps in its frame', () => {
    const wide = plan(
      [node('each', 'loop'), node('a', 'step'), node('b', 'step')],
      'hook -> each\neach -loop_body-> a\neach -loop_body-> b\na -loop_return-> each',
    );
    const outcome = (nodeId: string): Outcome =>
      nodeId === 'each' ? over([1], { onItemError: 'continue' }) : nodeId === 'a' ? { fails: true } : { value: 1 };
    expect(path(simulate({ plan: wide, outcome }))).toEqual(['hook', '+each', '!each[0]/a', 'each', 'completed']);
  });

  test('is handled in its frame if the node has an error edge', () => {
    const handled = plan(
      [node('each', 'loop'), node('a', 'step'), node('h', 'step')],
      'hook -> each\neach -loop_body-> a\na -error-> h\na -loop_return-> each\nh -loop_return-> each',
    );
    const outcome = (nodeId: string, input: Json): Outcome =>
      nodeId === 'h' ? { value: 'fixed' } : failing(['bad', 2])(nodeId, input);
    expect(output(simulate({ plan: handled, outcome }))).toEqual(['fixed', [2, 2]]);
  });

  test('lets the failed loop take its own error edge', () => {
    const routed = plan(
      [node('each', 'loop'), node('a', 'step'), node('h', 'step')],
      'hook -> each\neach -loop_body-> a\na -loop_return-> each\neach -error-> h',
    );
    const journal = simulate({ plan: routed, outcome: failing(['bad']) });
    expect(path(journal)).toEqual(['hook', '+each', '!each[0]/a', '!each', 'h', 'completed']);
  });

  test('makes a loop with a retry policy start again, in frames with other names', () => {
    const retried = simple({ retry: { max_attempts: 2 } });
    let failures = 0;
    const outcome = (nodeId: string, input: Json): Outcome => {
      if (nodeId === 'a' && input === 'bad' && failures++ === 0) return { fails: true };
      return doubled([1, 'bad'])(nodeId, input);
    };
    const journal = simulate({ plan: retried, outcome });
    expect(path(journal)).toEqual([
      'hook',
      '+each',
      'each[0]/a',
      '!each[1]/a',
      '!each',
      '+each',
      'each#2[0]/a',
      'each#2[1]/a',
      'each',
      'end',
      'completed',
    ]);
  });
});

describe('a loop with a time limit', () => {
  const limited = simple({ timeout_seconds: 2 });
  const begun = simulate({ plan: limited, outcome: doubled([]) }).slice(0, 1);
  const started: Fact = {
    kind: 'loop_started',
    nodeId: 'each',
    frame: '',
    attempt: 1,
    at: 1000,
    items: [1],
    concurrency: 1,
    onItemError: 'stop',
  };
  const context = {
    cancelRequested: false,
    deadline: 100_000,
    maxSteps: 100,
    maxSize: 1e9,
    crashCount: 0,
    incident: null,
  };

  test('gets a wake decision for its deadline', () => {
    const decisions = advance(fold(limited, [...begun, started]), { ...context, now: 2999 });
    expect(decisions).toMatchObject([{ kind: 'perform' }, { kind: 'wake', at: 3000 }]);
  });

  test('fails at its deadline, with everything in progress in it', () => {
    const state = fold(limited, [...begun, started]);
    const decisions = advance(state, { ...context, now: 3000 });
    expect(decisions.at(-1)).toMatchObject({
      kind: 'fail_loop',
      failure: { code: 'step_timeout', message: 'The loop took longer than 2 s.' },
    });
    const failure = { code: 'step_timeout', message: 'Late.' } as const;
    const common = { nodeId: 'each', frame: '', attempt: 1, at: 3000, durationMs: 2000 };
    applyFact(state, { kind: 'step_failed', ...common, failure, retryAt: null });
    expect([state.frames.size, state.open.size, state.timed.size]).toEqual([0, 0, 0]);
  });
});

test('a run makes at most as many steps as its limit, including those in loops', () => {
  const state = fold(simple(), simulate({ plan: simple(), outcome: doubled([1, 2, 3]) }).slice(0, 4));
  const context = {
    cancelRequested: false,
    now: 0,
    deadline: 1,
    maxSteps: 3,
    maxSize: 1e9,
    crashCount: 0,
    incident: null,
  };
  expect(advance(state, context)).toMatchObject([{ kind: 'finish', result: { failure: { code: 'run_steps' } } }]);
  expect(advance(state, { ...context, maxSteps: 4 })).toMatchObject([{ kind: 'perform' }]);
});

describe('expressions in a body', () => {
  const nested = plan(
    [
      node('first', 'step'),
      node('outer', 'loop'),
      node('a', 'step'),
      node('inner', 'loop'),
      node('b', 'step'),
      node('c', 'step'),
    ],
    [
      'hook -> first\nfirst -> outer\nouter -loop_body-> a\na -> inner\ninner -loop_body-> b\nb -> c',
      'c -loop_return-> inner\ninner -loop_return-> outer',
    ].join('\n'),
  );
  const seen: { [step: string]: Json | undefined } = {};
  const journal = simulate({
    plan: nested,
    outcome: (nodeId, input, step) => {
      const scope = new RunScope(newRunState(nested), { trigger, run: {} }).in(step.frame);
      const key = `${step.frame.key} ${nodeId}`;
      seen[key] = { loop: scope.lookup('loop') ?? null, nodes: Object.keys(scope.lookup('nodes') as object) };
      if (nodeId === 'c') seen[`${key}.b`] = scope.lookup('b');
      if (nodeId === 'c') seen[`${key}.a`] = scope.lookup('a');
      if (nodeId === 'outer') return over(['x', 'y']);
      return nodeId === 'inner' ? over([1, 2]) : { value: `${step.frame.key}:${JSON.stringify(input)}` };
    },
  });

  test('can use the iteration, and that of the surrounding loop', () => {
    expect(journal.at(-1)).toMatchObject({ status: 'completed' });
    expect(seen['outer[1] a']).toMatchObject({ loop: { item: 'y', index: 1, total: 2 } });
    expect(seen['outer[1]/inner[0] c']).toMatchObject({
      loop: { item: 1, index: 0, total: 2, outer: { item: 'y', index: 1, total: 2 } },
    });
    expect(seen[' outer']).toMatchObject({ loop: null });
  });

  test('can use only the nodes before the loop and those of their own iterations', () => {
    expect(seen['outer[1]/inner[1] c']).toMatchObject({ nodes: ['hook', 'first', 'a', 'b'] });
    expect(seen['outer[1]/inner[1] b']).toMatchObject({ nodes: ['hook', 'first', 'a'] });
    expect(seen['outer[1]/inner[1] c.b']).toEqual({ output: 'outer[1]/inner[1]:2' });
    expect(seen['outer[1]/inner[1] c.a']).toEqual({ output: 'outer[1]:"y"' });
  });

  test('get an explanation if they refer to a node in a body from outside', () => {
    const root = new RunScope(newRunState(nested), { trigger, run: {} });
    expect(root.explain(['b', 'output'])).toBe(
      "node 'b' is in the body of loop 'inner': outside of it, use 'results' of 'inner'",
    );
    expect(root.explain(['loop', 'item'])).toBe("'loop' exists only inside the body of a loop");
  });
});
