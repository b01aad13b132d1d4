import { catalogue } from '@millrace/components';
import { applyFact, type Fact, type Json, laterAttemptNumbers, newRunState, type Plan, planRun } from '@millrace/core';
import { graph, node } from '@millrace/core/testkit';
import { describe, expect, test } from 'vitest';
import { heapInUse } from '../../test/support/heap.ts';
import type { CachedRun } from '../store/executions.ts';
import { RunCache } from './run-cache.ts';

function newPlan(): Plan {
  const drawn = graph([node('start', 'trigger_manual'), node('ask', 'human_confirmation')], 'start -> ask');
  return planRun({ graph: drawn, catalogue, triggerNodeId: 'start' });
}

const plan = newPlan();

/** A run that waits for a person, after a first step with this payload as its output. */
function parked(payload: Json, of: Plan = plan): CachedRun {
  const state = newRunState(of);
  const step = { frame: '', attempt: 1, at: 1 } as const;
  applyFact(state, { kind: 'step_succeeded', nodeId: 'start', ...step, durationMs: 1, outputs: { payload } });
  const pause = { kind: 'approval', prompt: 'Go?', fallback: false, until: null } as const;
  applyFact(state, { kind: 'step_paused', nodeId: 'ask', ...step, stage: 'step', pause });
  return {
    epoch: 1,
    lastSeq: 2,
    state,
    numbers: laterAttemptNumbers([]),
    trigger: { payload, text: '' },
    clockSetMs: 0,
  };
}

function countOf(cache: RunCache, ids: readonly string[]): number {
  return ids.filter((id) => cache.get(id) !== undefined).length;
}

const idsOf = (count: number) => Array.from({ length: count }, (_none, index) => `run ${index}`);

test('a parked run is cached until it is dropped, and then takes no memory', () => {
  const cache = new RunCache();
  const [first, second] = [parked(1), parked(2)];
  cache.keep('a', first, 0);
  cache.keep('b', second, 0);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([first, second, undefined]);
  cache.drop('a');
  cache.drop('a');
  cache.drop('c');
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, second]);
  cache.drop('b');
  expect(cache.bytes).toBe(0);
});

test('a full cache drops the run that was parked longest ago', () => {
  const cache = new RunCache(100_000);
  const ids = idsOf(20);
  for (const id of ids) {
    cache.keep(id, parked('x'.repeat(1000)), 0);
    // This one is parked again each time.
    cache.keep('run 0', parked('x'.repeat(1000)), 0);
  }
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  const count = countOf(cache, ids);
  expect(count).toBeGreaterThan(5);
  expect(ids.filter((id) => cache.get(id) !== undefined)).toEqual(['run 0', ...ids.slice(1 - count)]);
});

test('a run larger than the limit displaces no others, and its earlier state is dropped', () => {
  const cache = new RunCache(100_000);
  cache.keep('small', parked(1), 0);
  cache.keep('large', parked(1), 0);
  cache.keep('large', parked('x'.repeat(100_000)), 0);
  expect(countOf(cache, ['small', 'large'])).toBe(1);
  expect(cache.get('small')).toBeDefined();
});

test('the variables of a run count towards its size', () => {
  const cache = new RunCache();
  cache.keep('run', parked(1), 0);
  const without = cache.bytes;
  const values = { text: 'x'.repeat(10_000) };
  cache.keep('run', { ...parked(1), variables: { values, secrets: [] } }, 0);
  // Two bytes per character.
  expect(cache.bytes - without).toBeGreaterThan(20_000);
  expect(cache.bytes - without).toBeLessThan(21_000);
});

test('a run that is too large is measured again only after it has grown, or after a long time', () => {
  const cache = new RunCache(100_000);
  let looks = 0;
  const look = () => {
    looks += 1;
    return 'x'.repeat(40_000);
  };
  /** As its next claim builds it from its journal. */
  const parkAgain = (length: number) => {
    const payload: Json = Object.defineProperty({}, 'text', { enumerable: true, get: look });
    cache.drop('large');
    cache.keep('large', { ...parked('x'.repeat(length)), trigger: { payload, text: '' } }, 0);
    expect(cache.bytes).toBe(0);
    return looks;
  };
  expect([10_000, 10_000, 10_100, 13_000, 13_000].map(parkAgain)).toEqual([1, 1, 1, 2, 2]);
  cache.dropOld(599_999);
  expect(parkAgain(13_000)).toBe(2);
  cache.dropOld(600_000);
  expect(parkAgain(13_000)).toBe(3);
  // The value that made it so large was part of an iteration that has ended.
  cache.keep('large', { ...parked('x'.repeat(20_000)), trigger: { payload: null, text: '' } }, 0);
  expect(cache.get('large')).toBeDefined();
});

test('ten minutes after a run was parked it is no longer cached, and takes no memory', () => {
  const cache = new RunCache();
  for (const [index, id] of ['a', 'b', 'c'].entries()) cache.keep(id, parked(index), index * 1000);
  // This one is parked again.
  cache.keep('a', parked(0), 3000);
  cache.dropOld(600_999);
  expect(countOf(cache, ['a', 'b', 'c'])).toBe(3);
  cache.dropOld(601_000);
  expect(['a', 'b', 'c'].map((id) => cache.get(id) !== undefined)).toEqual([true, false, true]);
  cache.dropOld(603_000);
  expect([countOf(cache, ['a', 'b', 'c']), cache.bytes]).toEqual([0, 0]);
});

test('a plan counts once for all runs that share it, as long as one of them is cached', () => {
  const cache = new RunCache();
  cache.keep('a', parked(1), 0);
  const one = cache.bytes;
  cache.keep('b', parked(1), 0);
  const shared = cache.bytes - one;
  cache.keep('c', parked(1, newPlan()), 0);
  expect(cache.bytes - one - shared).toBe(one);
  expect(shared).toBeLessThan(one);
  for (const id of ['a', 'b', 'c']) cache.drop(id);
  expect(cache.bytes).toBe(0);
});

const number = (index: number) => index + 0.5;
const entry = (index: number) => ({ id: index, name: `Customer ${index}`, isNew: true });

/** Also with keys that a run's own state has. */
const underNames = (salt: number) => ({
  node: Array.from({ length: 20 }, (_none, index) => entry(index + salt)),
  plan: Array.from({ length: 20 }, (_none, index) => `${index}.${salt}`),
  taken: [entry(salt)],
  returned: [entry(salt)],
});
/** Numbers among other values are objects of their own. */
const timesOf = (salt: number) => [null, ...Array.from({ length: 300 }, (_none, index) => 1.7e12 + index + salt)];

/** Caches many runs; returns by how much the heap in use has grown, and by how much according to the estimate. */
function growthOf(count: number, payloadOf: (salt: number) => Json): readonly [taken: number, thought: number] {
  const copyOf = (salt: number) => JSON.parse(JSON.stringify(payloadOf(salt))) as Json;
  const cache = new RunCache();
  // The first one allocates what all share.
  cache.keep('first', parked(copyOf(0)), 0);
  const ids = idsOf(count);
  const [before, thought] = [heapInUse(), cache.bytes];
  for (const [index, id] of ids.entries()) {
    // Every other one has a second copy of its payload, as after a restart.
    const trigger = index % 2 === 0 ? {} : { trigger: { payload: copyOf(index), text: '' } };
    cache.keep(id, { ...parked(copyOf(index)), ...trigger }, 0);
  }
  const growth = [heapInUse() - before, cache.bytes - thought] as const;
  expect(countOf(cache, ids)).toBe(count);
  // Dropped now, so that the next measurement does not see it.
  for (const id of ids) cache.drop(id);
  return growth;
}

describe('the memory of cached runs is at most the estimate, and not much less', () => {
  test.each<[string, number, (salt: number) => Json]>([
    // For such small runs it takes many to outweigh other memory.
    ['nothing', 4000, () => null],
    ['a long text', 400, (salt) => `${salt}`.padEnd(3000, '–')],
    ['a list of numbers', 400, (salt) => Array.from({ length: 300 }, (_none, index) => number(index + salt))],
    ['a list of times', 400, timesOf],
    ['a list of objects', 400, (salt) => Array.from({ length: 100 }, (_none, index) => entry(index + salt))],
    ['objects under names of its own', 400, underNames],
    ['a list of short texts', 400, (salt) => Array.from({ length: 300 }, (_none, index) => `${index}.${salt}`)],
    ['a list of empty objects', 400, () => Array.from({ length: 300 }, () => ({}))],
  ])('if steps put out %s', (_what, count, payloadOf) => {
    // The first round compiles code, whose memory does not belong to the runs.
    growthOf(count, payloadOf);
    const [taken, thought] = growthOf(count, payloadOf);
    expect(taken).toBeLessThan(thought);
    expect(taken).toBeGreaterThan(thought / 4);
  });
});

test('the attempt numbers that retries have added take no more memory than estimated', () => {
  const numbersOf = (salt: number) => {
    const failed = (item: number): Fact => ({
      ...{ kind: 'step_failed', nodeId: 'send', frame: `each[${item}]`, attempt: 1, at: 1, durationMs: 1 },
      ...{ failure: { code: 'assertion', message: 'No.' }, retryAt: null },
    });
    const facts = Array.from({ length: 100 }, (_none, item) => failed(item + salt));
    const revoked = facts.map((_fact, index) => index + 1);
    const journal = [...facts, { kind: 'run_retried', at: 1, revoked } as const];
    return laterAttemptNumbers(journal.map((fact, index) => ({ seq: index + 1, fact })));
  };
  const cache = new RunCache();
  cache.keep('first', { ...parked(null), numbers: numbersOf(0) }, 0);
  const [before, thought] = [heapInUse(), cache.bytes];
  for (const [index, id] of idsOf(400).entries()) cache.keep(id, { ...parked(null), numbers: numbersOf(index) }, 0);
  const taken = heapInUse() - before;
  expect(countOf(cache, idsOf(400))).toBe(400);
  expect(taken).toBeLessThan(cache.bytes - thought);
  expect(taken).toBeGreaterThan((cache.bytes - thought) / 4);
});

test('a run that grows with each wait has about the estimate of a new measurement', () => {
  const drawn = graph(
    [node('start', 'trigger_manual'), node('each', 'loop'), node('pause', 'wait')],
    'start -> each\neach -loop_body-> pause\npause -loop_return-> each',
  );
  const looped = newRunState(planRun({ graph: drawn, catalogue, triggerNodeId: 'start' }));
  const trigger = { payload: Array.from({ length: 500 }, (_none, index) => index), text: '' };
  const [step, end] = [{ frame: '', attempt: 1, at: 1 } as const, { durationMs: 1 } as const];
  const rest = { concurrency: 1, onItemError: 'stop' } as const;
  applyFact(looped, { kind: 'step_succeeded', nodeId: 'start', ...step, ...end, outputs: { ...trigger } });
  applyFact(looped, { kind: 'loop_started', nodeId: 'each', ...step, items: trigger.payload, ...rest });
  const cache = new RunCache();
  for (let item = 0; item < 490; item += 1) {
    const output = Array.from({ length: item % 40 }, (_none, index) => entry(index));
    const frame = `each[${item}]`;
    applyFact(looped, { kind: 'step_succeeded', nodeId: 'pause', ...step, frame, ...end, outputs: { output } });
    const run = {
      epoch: item,
      lastSeq: item + 3,
      state: looped,
      numbers: laterAttemptNumbers([]),
      trigger,
      clockSetMs: 0,
    };
    cache.keep('a', run, 0);
    if (item % 7 !== 0) continue;
    const fresh = new RunCache();
    fresh.keep('a', run, 0);
    expect(cache.bytes / fresh.bytes).toBeGreaterThan(0.95);
    expect(cache.bytes / fresh.bytes).toBeLessThan(1.5);
  }
});
