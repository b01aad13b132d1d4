import { expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import type { Json, JsonObject } from '../json.ts';
import { applyFact } from './fold/fold.ts';
import { type Plan, planRun } from './plan.ts';
import { newRunState } from './run-state.ts';
import { planWeight, runWeight } from './run-weight.ts';

const enough = 1e9;

/** A loop around one step. */
function planWith(config: JsonObject): Plan {
  const nodes = [node('hook', 'start'), node('each', 'loop'), node('a', 'step', config)];
  const drawn = graph(nodes, 'hook -> each\neach -loop_body-> a\na -loop_return-> each');
  return planRun({ graph: drawn, catalogue, triggerNodeId: 'hook' });
}

const plan = planWith({});

/** A run whose first step has returned a value. */
function stateWith(output: Json) {
  const state = newRunState(plan);
  const about = { nodeId: 'hook', frame: '', attempt: 1, at: 1, durationMs: 1 } as const;
  applyFact(state, { kind: 'step_succeeded', ...about, outputs: { output } });
  return state;
}

const bare = runWeight(stateWith(null), [{ payload: null, text: '' }], enough);

test('a shared value counts once, and a copy of it counts again', () => {
  const payload = ['x'.repeat(10_000)];
  const shared = runWeight(stateWith(payload), [{ payload, text: '' }], enough);
  const copied = runWeight(stateWith(payload), [{ payload: [...payload], text: '' }], enough);
  expect(shared - bare).toBeGreaterThanOrEqual(20_000);
  expect(shared - bare).toBeLessThan(20_200);
  expect(copied - bare).toBeGreaterThanOrEqual(40_000);
});

test.each([
  'plan',
  'node',
  'taken',
  'inputEdges',
  'returned',
  'item',
])('user data under the key %s counts like under any other key', (name) => {
  const weightOf = (key: string) => {
    const payload = { [key]: ['x'.repeat(10_000)] };
    return runWeight(stateWith(payload), [{ payload, text: '' }], enough);
  };
  expect(weightOf(name)).toBe(weightOf('anything'));
  expect(weightOf(name) - bare).toBeGreaterThanOrEqual(20_000);
});

test('the contents of the plan do not count, whatever their size and wherever a run refers to them', () => {
  const weightWith = (config: JsonObject) => {
    const state = newRunState(planWith(config));
    const [about, end] = [{ frame: '', attempt: 1, at: 1 } as const, { durationMs: 1 } as const];
    applyFact(state, { kind: 'step_succeeded', nodeId: 'hook', ...about, ...end, outputs: {} });
    const rest = { items: [1, 2], concurrency: 1, onItemError: 'stop' } as const;
    applyFact(state, { kind: 'loop_started', nodeId: 'each', ...about, ...rest });
    applyFact(state, { kind: 'step_succeeded', nodeId: 'a', ...about, frame: 'each[0]', ...end, outputs: {} });
    return runWeight(state, [{ payload: null, text: '' }], enough);
  };
  expect(weightWith({ expression: 'x'.repeat(10_000) })).toBe(weightWith({}));
});

test('a number that is not a small integer counts as a separate object', () => {
  const weightOf = (payload: Json) => runWeight(newRunState(plan), [{ payload, text: '' }], enough);
  const small = weightOf([1, -1, 0]);
  expect(weightOf([1.7e12, 0.5, -0]) - small).toBe(3 * 16);
});

test('the frames of a loop count, and their weight is removed with them', () => {
  const state = stateWith(null);
  const about = { nodeId: 'each', frame: '', attempt: 1, at: 1 } as const;
  const items = Array.from({ length: 100 }, (_none, index) => index);
  applyFact(state, { kind: 'loop_started', ...about, items, concurrency: 100, onItemError: 'stop' });
  const weight = () => runWeight(state, [{ payload: null, text: '' }], enough);
  const begun = weight();
  // A frame with a step.
  expect(begun - bare).toBeGreaterThan(100 * 1000);
  applyFact(state, {
    kind: 'step_failed',
    ...about,
    durationMs: 1,
    failure: { code: 'config', message: '' },
    retryAt: 9,
  });
  expect(weight() - bare).toBeLessThan(1000);
});

test('counting stops above the limit', () => {
  const untouched = Object.defineProperty({}, 'never', {
    enumerable: true,
    get: () => {
      throw new Error('it was looked at');
    },
  });
  const payload = ['x'.repeat(1000), untouched as Json];
  const weigh = (limit: number) => runWeight(newRunState(plan), [{ payload, text: '' }], limit);
  expect(() => weigh(enough)).toThrow('it was looked at');
  expect(weigh(2000)).toBeGreaterThan(2000);
});

test('a plan weighs as much as its nodes', () => {
  const longer = graph([node('hook', 'start'), ...'abcde'.split('').map((id) => node(id, 'step'))], 'hook -> a');
  const drawn = planRun({ graph: longer, catalogue, triggerNodeId: 'hook' });
  expect(planWeight(plan) / 3).toBe(planWeight(drawn) / 2);
});

test('the config of a node weighs as much as its texts and the compiled expressions in them', () => {
  const small = planWeight(plan);
  expect(planWeight(planWith({ text: 'x'.repeat(100_000) })) - small).toBeGreaterThan(190_000);
  const expressions = planWeight(planWith({ text: '{{ a }}'.repeat(1_000) }));
  expect(expressions - small).toBeGreaterThan(1_000 * 200);
});
