import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import type { Graph } from '../graph/graph.ts';
import { findCycle, planRun } from './plan.ts';

const hook = node('hook', 'start');
const plan = (of: Graph) => planRun({ graph: of, catalogue, triggerNodeId: 'hook' });

describe('a plan', () => {
  test('contains exactly the nodes that the trigger reaches', () => {
    const of = graph([hook, node('a', 'step'), node('b', 'step'), node('other', 'start')], 'hook -> a\nother -> b');
    expect([...plan(of).nodes.keys()]).toEqual(['hook', 'a']);
  });

  test('follows edges without a label, conditional ones, and those of errors and loops', () => {
    const names = ['plain', 'routed', 'handler', 'body', 'back'];
    const nodes = [hook, node('s', 'switch'), node('each', 'loop'), ...names.map((name) => node(name, 'step'))];
    const text = `hook -> plain\nplain -error-> handler\nhook -> s\ns -[x]-> routed\nhook -> each
      each -loop_body-> body\nbody -> back\nback -loop_return-> each`;
    expect([...plan(graph(nodes, text)).nodes.keys()].sort()).toEqual(['each', 'hook', 's', ...names].sort());
  });

  test('ignores edges from nodes that the trigger does not reach', () => {
    const of = graph([hook, node('a', 'step'), node('other', 'step')], 'hook -> a\nother -> a');
    expect(plan(of).nodes.get('a')?.incoming).toHaveLength(1);
  });

  test('excludes edges to sub-components', () => {
    const of = graph([hook, node('a', 'step')], 'hook -> a');
    const llm = { ...of.edges[0], id: 9, edgeLabel: 'llm', sourceNodeId: 'model', targetNodeId: 'a' } as const;
    const edges = of.edges.concat({
      ...llm,
      edgeType: 'direct',
      conditionMapping: null,
      conditionValue: '',
      priority: 0,
    });
    expect(plan({ ...of, edges }).nodes.get('a')?.incoming).toHaveLength(1);
  });

  test('has the loop bodies of the whole graph, whichever trigger starts the run', () => {
    const nodes = [hook, node('other', 'start'), node('each', 'loop'), node('a', 'step'), node('b', 'step')];
    const text = 'hook -> each\neach -loop_body-> a\na -loop_return-> each\na -> b';
    expect(plan(graph(nodes, text)).loopOf).toEqual(
      new Map([
        ['a', 'each'],
        ['b', 'each'],
      ]),
    );
    expect(() => plan(graph(nodes, `${text}\nother -> b`))).toThrow("a -> b leaves the body of loop 'each'");
  });

  test.each([
    [
      'a trigger that is none',
      graph([node('hook', 'step'), node('a', 'step')], 'hook -> a'),
      "node 'hook' is not a trigger",
    ],
    ['a node that is missing', graph([hook], 'hook -> a'), "an edge leads to node 'a', which does not exist"],
    ['an unknown type', graph([hook, node('a', 'teleport')], 'hook -> a'), "node 'a' has the unknown type 'teleport'"],
    [
      'a cycle',
      graph([hook, node('a', 'step'), node('b', 'step')], 'hook -> a\na -> b\nb -> a'),
      'its edges form a cycle: a -> b -> a',
    ],
    [
      'an edge into a trigger',
      graph([hook, node('other', 'start')], 'hook -> other'),
      "node 'other' is a trigger, but an edge leads to it",
    ],
    [
      'a policy that there is not',
      graph([hook, node('a', 'step', { on_error: 'nonsense' })], 'hook -> a'),
      "node 'a' has an invalid config at 'on_error': must be one of " + '"stop", "continue", "route"',
    ],
    [
      'a common key of another kind',
      graph([hook, { ...node('a', 'step'), config: { max_retries: -1 } }], 'hook -> a'),
      "node 'a' has an invalid config at 'max_retries': must be at least 0",
    ],
    [
      'an expression that cannot be read',
      graph([hook, node('a', 'step', { text: '{{ 1 + }}' })], 'hook -> a'),
      "node 'a' has a config that cannot be read: text: The expression cannot continue with '}' here. (line 1, column 8)",
    ],
  ])('is rejected for %s', (_, of, reason) => {
    expect(() => plan(of)).toThrow(`The workflow cannot run: ${reason}.`);
  });
});

describe('finding a cycle', () => {
  const targets = (text: string) => {
    const of = graph([], text);
    return (from: string) => of.edges.filter((edge) => edge.sourceNodeId === from).map((edge) => edge.targetNodeId);
  };

  test('names the nodes along it', () => {
    expect(findCycle('a', targets('a -> b\nb -> c\nc -> d\nd -> b'))).toEqual(['b', 'c', 'd', 'b']);
  });

  test('detects a node that leads to itself', () => {
    expect(findCycle('a', targets('a -> a'))).toEqual(['a', 'a']);
  });

  test('does not treat two paths to the same node as a cycle', () => {
    expect(findCycle('a', targets('a -> b\na -> c\nb -> d\nc -> d'))).toBeNull();
  });

  test('does not overflow on a chain of 50,000', () => {
    const next = (from: string) => (Number(from) < 50_000 ? [String(Number(from) + 1)] : []);
    expect(findCycle('0', next)).toBeNull();
  });
});
