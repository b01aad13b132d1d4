import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { calm, fold, type Outcome, simulate } from '../../test/simulate.ts';
import type { Json } from '../json.ts';
import { advance } from './advance.ts';
import type { Fact } from './journal/history.ts';
import { type Plan, planRun } from './plan.ts';

const plan = (...[nodes, text]: Parameters<typeof graph>): Plan =>
  planRun({ graph: graph([node('hook', 'start'), ...nodes], text), catalogue, triggerNodeId: 'hook' });
const echo = (nodeId: string, input: Json): Outcome => ({ value: nodeId === 'hook' ? 'payload' : { [nodeId]: input } });
const path = (journal: readonly Fact[]): string[] =>
  journal.map((fact) =>
    fact.kind === 'run_finished' ? fact.status : `${fact.kind === 'step_skipped' ? '-' : ''}${fact.nodeId}`,
  );
const output = (journal: readonly Fact[]): Json => {
  const last = journal.at(-1);
  return last?.kind === 'run_finished' ? last.output : null;
};

describe('a run', () => {
  test('performs a chain in order and ends with the last value', () => {
    const chain = plan([node('a', 'step'), node('b', 'step')], 'hook -> a\na -> b');
    const journal = simulate({ plan: chain, outcome: echo });
    expect(path(journal)).toEqual(['hook', 'a', 'b', 'completed']);
    expect(output(journal)).toEqual({ b: { a: 'payload' } });
  });

  test('of only a trigger ends with the payload', () => {
    const alone = planRun({ graph: { nodes: [node('hook', 'start')], edges: [] }, catalogue, triggerNodeId: 'hook' });
    expect(output(simulate({ plan: alone, outcome: () => ({ value: 7 }) }))).toBe(7);
  });

  test('takes the branch of the route, skips the whole other branch, and joins them once', () => {
    const switched = plan(
      [node('s', 'switch'), node('a', 'step'), node('b', 'step'), node('b2', 'step'), node('m', 'gather')],
      'hook -> s\ns -[x]-> a\ns -[y]-> b\nb -> b2\na -> m\nb2 -> m',
    );
    const outcome = (nodeId: string, input: Json): Outcome => (nodeId === 's' ? { route: 'x' } : echo(nodeId, input));
    const journal = simulate({ plan: switched, outcome });
    expect(path(journal)).toEqual(['hook', 's', '-b', '-b2', 'a', 'm', 'completed']);
    expect(output(journal)).toEqual({ m: [{ a: 'payload' }] });
  });

  test("skips all branches when no route matches, and completes with the switch's output", () => {
    const switched = plan([node('s', 'switch'), node('a', 'step')], 'hook -> s\ns -[x]-> a');
    const journal = simulate({ plan: switched, outcome: (id) => (id === 's' ? { route: 'z' } : { value: 1 }) });
    expect(path(journal)).toEqual(['hook', 's', '-a', 'completed']);
    expect(output(journal)).toBe(1);
  });

  test('takes the fallback edge for a route without an edge if the switch has one', () => {
    const s = node('s', 'switch', { enable_fallback: true });
    const switched = plan([s, node('a', 'step'), node('o', 'step')], 'hook -> s\ns -[x]-> a\ns -[__other__]-> o');
    const journal = simulate({ plan: switched, outcome: (id) => (id === 's' ? { route: 'z' } : { value: 1 }) });
    expect(path(journal)).toEqual(['hook', 's', '-a', 'o', 'completed']);
  });

  test.each([
    ['go', ['hook', 's', '-b', 'a', 'completed']],
    ['stop', ['hook', 's', '-a', '-b', 'completed']],
  ])('follows a legacy mapping for the route %s', (route, expected) => {
    const base = graph(
      [node('hook', 'start'), node('s', 'switch'), node('a', 'step'), node('b', 'step')],
      'hook -> s\ns -[x]-> a\ns -[y]-> b',
    );
    const conditionMapping = { go: 'a', stop: '__end__' };
    const edges = base.edges.map((edge) => (edge.edgeType === 'conditional' ? { ...edge, conditionMapping } : edge));
    const mapped = planRun({ graph: { ...base, edges }, catalogue, triggerNodeId: 'hook' });
    const journal = simulate({ plan: mapped, outcome: (id) => (id === 's' ? { route } : { value: 1 }) });
    expect(path(journal)).toEqual(expected);
  });

  test('keys the values of several predecessors by node id', () => {
    const joined = plan(
      [node('a', 'step'), node('b', 'step'), node('c', 'step')],
      'hook -> a\nhook -> b\na -> c\nb -> c',
    );
    expect(output(simulate({ plan: joined, outcome: echo }))).toEqual({
      c: { a: { a: 'payload' }, b: { b: 'payload' } },
    });
  });

  test('keys its output by node id if several nodes end it', () => {
    const split = plan([node('a', 'step'), node('b', 'step')], 'hook -> a\nhook -> b');
    expect(output(simulate({ plan: split, outcome: () => ({ value: 1 }) }))).toEqual({ a: 1, b: 1 });
  });

  test('joins on any with the first value, and runs the node once', () => {
    const eager = plan(
      [node('a', 'step'), node('b', 'step'), node('c', 'gather', { join: 'any' })],
      'hook -> a\nhook -> b\na -> c\nb -> c',
    );
    const journal = simulate({ plan: eager, outcome: echo, pick: (count) => count - 1 });
    expect(path(journal)).toEqual(['hook', 'b', 'c', 'a', 'completed']);
    expect(output(journal)).toEqual({ c: [{ b: 'payload' }] });
  });

  test('skips a node when its required count of taken edges can no longer be reached', () => {
    const counted = plan(
      [node('s', 'switch'), node('a', 'step'), node('b', 'step'), node('c', 'step', { join: { count: 2 } })],
      'hook -> s\ns -[x]-> a\ns -[y]-> b\na -> c\nb -> c',
    );
    const journal = simulate({ plan: counted, outcome: (id) => (id === 's' ? { route: 'x' } : { value: 1 }) });
    expect(path(journal)).toEqual(['hook', 's', '-b', '-c', 'a', 'completed']);
  });
});

describe('of the ready nodes', () => {
  test('the node whose edge has the highest priority, then the lowest id, starts first', () => {
    const base = graph([node('hook', 'start'), node('a', 'step'), node('b', 'step')], 'hook -> a\nhook -> b');
    const edges = base.edges.map((edge) => ({ ...edge, priority: edge.targetNodeId === 'b' ? 5 : 0 }));
    const ranked = planRun({ graph: { ...base, edges }, catalogue, triggerNodeId: 'hook' });
    expect(path(simulate({ plan: ranked, outcome: echo }))).toEqual(['hook', 'b', 'a', 'completed']);
    const alike = plan([node('a', 'step'), node('b', 'step'), node('c', 'step')], 'hook -> b\nhook -> c\nhook -> a');
    expect(path(simulate({ plan: alike, outcome: echo }))).toEqual(['hook', 'b', 'c', 'a', 'completed']);
  });

  test('one that became ready later starts first if its edge comes first', () => {
    const base = graph(
      [node('hook', 'start'), node('a', 'step'), node('b', 'step'), node('c', 'step')],
      'a -> c\nhook -> a\nhook -> b',
    );
    const late = planRun({ graph: base, catalogue, triggerNodeId: 'hook' });
    expect(path(simulate({ plan: late, outcome: echo }))).toEqual(['hook', 'a', 'c', 'b', 'completed']);
  });
});

describe('a failed step', () => {
  const fails = (nodeId: string, input: Json): Outcome => (nodeId === 'a' ? { fails: true } : echo(nodeId, input));

  test('ends the run and names its node', () => {
    const stops = plan([node('a', 'step'), node('b', 'step')], 'hook -> a\na -> b');
    const journal = simulate({ plan: stops, outcome: fails });
    expect(path(journal)).toEqual(['hook', 'a', 'failed']);
    expect(journal.at(-1)).toMatchObject({
      nodeId: 'a',
      failure: { message: "Node 'a' failed: It failed." },
      output: null,
    });
  });

  test('takes its error edge with the error', () => {
    const routed = plan([node('a', 'step'), node('b', 'step'), node('h', 'step')], 'hook -> a\na -> b\na -error-> h');
    const journal = simulate({ plan: routed, outcome: fails });
    expect(path(journal)).toEqual(['hook', 'a', '-b', 'h', 'completed']);
    expect(output(journal)).toEqual({ h: { error: 'It failed.', error_code: 'step_crashed', node_id: 'a' } });
  });

  test('leaves the error edge dead when it succeeds', () => {
    const routed = plan([node('a', 'step'), node('h', 'step')], 'hook -> a\na -error-> h');
    expect(path(simulate({ plan: routed, outcome: echo }))).toEqual(['hook', 'a', '-h', 'completed']);
  });

  test('continues with the error as its value if its config requests that', () => {
    const goes = plan([node('a', 'step', { on_error: 'continue' }), node('b', 'step')], 'hook -> a\na -> b');
    const journal = simulate({ plan: goes, outcome: fails });
    expect(path(journal)).toEqual(['hook', 'a', 'b', 'completed']);
    expect(output(journal)).toMatchObject({ b: { node_id: 'a' } });
  });

  test('is performed again when its next attempt is due', () => {
    const retried = plan([node('a', 'step')], 'hook -> a');
    const [first] = simulate({ plan: retried, outcome: echo });
    const failure = { code: 'step_crashed', message: 'Not yet.' } as const;
    const failed: Fact = {
      kind: 'step_failed',
      nodeId: 'a',
      frame: '',
      attempt: 1,
      at: 0,
      durationMs: 0,
      retryAt: 500,
      failure,
    };
    if (first === undefined) throw new Error('the trigger did not run');
    expect(advance(fold(retried, [first, failed]), calm)).toMatchObject([
      { kind: 'perform', attempt: 2, notBefore: 500 },
    ]);
  });
});

describe('advance', () => {
  const one = plan([node('a', 'step')], 'hook -> a');

  test('cancels a run for which cancellation is requested', () => {
    expect(advance(fold(one, []), { ...calm, cancelRequested: true })).toMatchObject([
      { kind: 'finish', result: { status: 'cancelled', failure: { code: 'run_cancelled' } } },
    ]);
  });

  test('fails a run that exceeds its time limit', () => {
    expect(advance(fold(one, []), { ...calm, now: 1 })).toMatchObject([
      { kind: 'finish', result: { status: 'failed', failure: { code: 'run_timeout' } } },
    ]);
  });

  test('completes a run whose last step ends exactly at its deadline', () => {
    const journal = simulate({ plan: one, outcome: echo }).slice(0, -1);
    expect(advance(fold(one, journal), { ...calm, now: 1 })).toMatchObject([
      { kind: 'finish', result: { status: 'completed' } },
    ]);
  });

  test('completes such a run also if it only has to skip untaken branches', () => {
    const switched = plan([node('s', 'switch'), node('a', 'step')], 'hook -> s\ns -[x]-> a');
    const journal = simulate({ plan: switched, outcome: (id) => (id === 's' ? { route: 'z' } : { value: 1 }) });
    expect(advance(fold(switched, journal.slice(0, 2)), { ...calm, now: 1 })).toMatchObject([{ kind: 'skip' }]);
  });

  test('returns no decisions for a run that has ended', () => {
    expect(advance(fold(one, simulate({ plan: one, outcome: echo })), calm)).toEqual([]);
  });
});
