import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { type Outcome, simulate, trigger } from '../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../test/simulated-world.ts';
import type { Component } from '../component/component.ts';
import type { DataType } from '../component/ports.ts';
import type { Json } from '../json.ts';
import type { Fact, JournalEntry, RunRetried } from './journal/history.ts';
import { retryOf, standingEntries } from './journal/retried-journal.ts';
import { planRun } from './plan.ts';
import { inputsOf } from './step-input.ts';

/** The input of `m` behind branches with these names, the last of which has the highest priority. */
function given(type: string, names: readonly string[]): Json | undefined {
  const lines = [...names.map((name) => `hook -> ${name}`), ...names.map((name) => `${name} -> m`)];
  const nodes = [node('hook', 'start'), ...names.map((name) => node(name, 'step')), node('m', type)];
  const { edges } = graph(nodes, lines.join('\n'));
  const ranked = edges.map((edge) => ({ ...edge, priority: edge.sourceNodeId === names.at(-1) ? 1 : 0 }));
  const types = new Map([...catalogue, ['several', severalOf(catalogue.get('gather'))]]);
  const plan = planRun({ graph: { nodes, edges: ranked }, catalogue: types, triggerNodeId: 'hook' });
  const inputs = new Map<string, Json>();
  const outcome = (nodeId: string, input: Json) => {
    inputs.set(nodeId, input);
    return { value: nodeId };
  };
  // The branch that ends last is picked first.
  simulate({ plan, outcome, pick: (count) => count - 1 });
  return inputs.get('m');
}

function severalOf(gather: Component<never> | undefined): Component<never> {
  if (gather === undefined) throw new Error('the test catalogue has no gather');
  return { ...gather, type: 'several', gathers: 'several' };
}

test('a node with several predecessors receives an object keyed by node id', () => {
  expect(given('step', ['a', 'b'])).toEqual({ a: 'a', b: 'b' });
});

test('a node with one predecessor receives its value alone', () => {
  expect(given('step', ['a'])).toBe('a');
});

test('a gathering node receives a list in the order of the edges: by priority, then by id, in any order of ends', () => {
  expect(given('gather', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
  expect(given('several', ['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
});

test('with one branch, a node that always gathers receives a list, and one that gathers several receives the value', () => {
  expect(given('gather', ['a'])).toEqual(['a']);
  expect(given('several', ['a'])).toBe('a');
});

describe('a node', () => {
  /** The input of `m`, whose port has the type `dataType`, behind nodes that return these values. */
  function inputWith(values: readonly Json[], dataType: DataType, lines = ''): Json | undefined {
    const sources = values.map((_value, index) => `v${index}`);
    const [step] = [catalogue.get('step')];
    if (step === undefined) throw new Error('the test catalogue has no step');
    const input = { name: 'in', dataType, required: false, description: 'A value.', suppliedBy: ['own'] };
    const plan = planRun({
      graph: graph(
        [
          node('hook', 'start'),
          node('each', 'loop'),
          ...sources.map((source) => node(source, 'step')),
          node('m', 'takes', lines === 'own' ? { own: 1 } : {}),
        ],
        lines === 'loop'
          ? 'hook -> each\neach -loop_body-> m\nm -loop_return-> each'
          : sources.map((source) => `hook -> ${source}\n${source} -> m`).join('\n'),
      ),
      catalogue: new Map([...catalogue, ['takes', { ...step, type: 'takes', inputs: [input] }]]),
      triggerNodeId: 'hook',
    });
    let seen: Json | undefined;
    const outcome = (nodeId: string, given: Json): Outcome => {
      if (nodeId === 'm') seen = given;
      if (nodeId === 'each') return { iterate: { items: values, concurrency: 1, onItemError: 'stop' } };
      return { value: values[sources.indexOf(nodeId)] ?? null };
    };
    simulate({ plan, outcome });
    return seen;
  }

  test('converts its input to the type of the port, also in a loop and with several predecessors', () => {
    expect(inputWith([{ a: 1 }], 'text')).toBe('{"a":1}');
    expect(inputWith([{ a: 1 }], 'any')).toEqual({ a: 1 });
    expect(inputWith([7], 'text', 'loop')).toBe('7');
    expect(inputWith([7, 'b'], 'text')).toBe('{"v0":7,"v1":"b"}');
    expect(inputWith([7, 'b'], 'object')).toEqual({ v0: 7, v1: 'b' });
  });

  test('gets no input if its config supplies it', () => {
    expect(inputWith(['x'], 'text', 'own')).toBeNull();
    expect(inputWith(['x', 'y'], 'any', 'own')).toBeNull();
  });
});

function numbered(facts: readonly (Fact | RunRetried)[], before: readonly JournalEntry[] = []): JournalEntry[] {
  return [...before, ...facts.map((fact, index) => ({ seq: before.length + index + 1, fact }))];
}

const plan = planRun({
  graph: graph(
    [node('hook', 'start'), node('each', 'loop'), node('a', 'step'), node('b', 'step'), node('end', 'step')],
    'hook -> each\neach -loop_body-> a\na -> b\nb -loop_return-> each\neach -> end',
  ),
  catalogue,
  triggerNodeId: 'hook',
});

const common = { at: 0, attempt: 1, durationMs: 0 };
const done = (nodeId: string, frame: string, output: Json): Fact => ({
  ...{ kind: 'step_succeeded', nodeId, frame, ...common },
  outputs: nodeId === 'hook' ? { payload: output } : nodeId === 'each' ? { results: output } : { output },
});
const failure = { code: 'step_timeout', message: 'Too long.' } as const;
const failed = (nodeId: string): Fact => ({
  ...{ kind: 'step_failed', nodeId, frame: '', ...common, retryAt: null, failure },
});
const begun = (items: readonly Json[]): Fact => ({
  ...{ kind: 'loop_started', nodeId: 'each', frame: '', at: 0, attempt: 1, items, concurrency: 1, onItemError: 'stop' },
});
const finished = (nodeId: string): Fact => ({
  ...{ kind: 'run_finished', at: 0, status: 'failed', output: null, failure, nodeId },
});

/** The journal with a retry at its end. */
function retried(journal: readonly JournalEntry[]): JournalEntry[] {
  const { revoked } = retryOf({ plan, journal, at: 0 });
  return numbered([{ kind: 'run_retried', at: 0, revoked }], journal);
}

describe('after a retry', () => {
  test('all earlier steps of random runs have the same inputs as before', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        const [followed, rounds] = [planOf(world), 3];
        let journal = numbered(journalOf(world, order));
        for (let round = 1; round <= rounds; round += 1) {
          const before = inputsOf(followed, trigger, journal);
          const { revoked } = retryOf({ plan: followed, journal, at: 0 });
          if (revoked.length === 0) return;
          journal = numbered([{ kind: 'run_retried', at: 0, revoked }], journal);
          const left = standingEntries(journal).map(({ fact }) => fact);
          journal = numbered(journalOf(world, order, { begun: left }).slice(left.length), journal);
          expect([...inputsOf(followed, trigger, journal)]).toEqual(expect.arrayContaining([...before]));
        }
      }),
    );
  });

  test('the steps of a loop that started again as a whole have the same inputs as before', () => {
    const first = [done('hook', '', 1), begun(['x']), done('a', 'each[0]', 'first'), done('b', 'each[0]', 1)];
    const journal = numbered([...first, failed('each'), finished('each')]);
    const second = [begun(['y']), done('a', 'each[0]', 'second'), done('b', 'each[0]', 2), done('each', '', [2])];
    const inputs = inputsOf(plan, trigger, numbered([...second, done('end', '', 3)], retried(journal)));
    const seen = (seqs: readonly number[]): readonly unknown[] => seqs.map((seq) => inputs.get(seq));
    expect(seen([2, 3, 4, 5])).toEqual([1, 'x', 'first', 1]);
    expect(seen([8, 9, 10, 11, 12])).toEqual([1, 'y', 'second', 1, [2]]);
  });

  test('the journal is read once, for any number of retries', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const each = items.flatMap((item) => [done('a', `each[${item}]`, item), done('b', `each[${item}]`, item)]);
    const looksWith = (retries: number): number => {
      let journal = numbered([done('hook', '', 1), begun(items), ...each, done('each', '', items)]);
      for (let retry = 0; retry < retries; retry += 1) {
        journal = retried(numbered([failed('end'), finished('end')], journal));
      }
      let looks = 0;
      const counted = ({ seq, fact }: JournalEntry): JournalEntry => ({
        seq,
        get fact() {
          looks += 1;
          return fact;
        },
      });
      inputsOf(plan, trigger, journal.map(counted));
      return looks / journal.length;
    };
    expect(looksWith(40)).toBeLessThanOrEqual(2 * looksWith(1));
  });
});
