import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { fold, type Outcome, simulate } from '../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../test/simulated-world.ts';
import { applyFact } from './fold/fold.ts';
import type { Fact, StepKey } from './journal/history.ts';
import { planRun } from './plan.ts';
import { newRunState } from './run-state.ts';
import { isToCome } from './step-to-come.ts';

/** The step that a fact ends, if it ends one. */
function endedBy(fact: Fact): StepKey | null {
  const isEnd = fact.kind === 'step_succeeded' || fact.kind === 'step_skipped';
  return isEnd || (fact.kind === 'step_failed' && fact.retryAt === null) ? fact : null;
}

test('in a random run every step is to come until it ends, and not afterwards', () => {
  fc.assert(
    fc.property(worlds, picks, (world, order) => {
      const journal = journalOf(world, order);
      const ends = journal.flatMap((fact, at) => {
        const key = endedBy(fact);
        return key === null ? [] : [{ key, at, isSkip: fact.kind === 'step_skipped' }];
      });
      const state = newRunState(planOf(world));
      for (const [now, fact] of journal.entries()) {
        // A skipped step may be over before the journal records it.
        for (const { key, at, isSkip } of ends) if (at < now || !isSkip) expect(isToCome(state, key)).toBe(at >= now);
        applyFact(state, fact);
      }
      for (const { key } of ends) expect(isToCome(state, key)).toBe(false);
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 400) / 8 },
  );
});

describe('of a loop with two items at once', () => {
  const plan = planRun({
    graph: graph(
      [
        node('hook', 'start'),
        node('each', 'loop', { retry: { max_attempts: 2 } }),
        node('a', 'step'),
        node('b', 'step'),
      ],
      'hook -> each\neach -loop_body-> a\na -> b\nb -loop_return-> each',
    ),
    catalogue,
    triggerNodeId: 'hook',
  });
  const iterate = { items: [1, 2, 3], concurrency: 2, onItemError: 'continue' } as const;
  const outcome = (nodeId: string, input: unknown): Outcome => {
    if (nodeId === 'each') return { iterate };
    return nodeId === 'a' && input === 1 ? { fails: true } : { value: 0 };
  };
  const journal = simulate({ plan, outcome });
  const until = (isLast: (fact: Fact) => boolean) => fold(plan, journal.slice(0, journal.findIndex(isLast) + 1));
  const inFrame = (frame: string) => ({ frame, nodeId: 'b' });

  test('an item that has not begun, or has a later attempt, is to come; a nonexistent one is not', () => {
    const state = until(({ kind }) => kind === 'loop_started');
    expect(['each[2]', 'each#2[0]'].map((frame) => isToCome(state, inFrame(frame)))).toEqual([true, true]);
    expect(['each[3]', 'no[0]', 'nonsense'].map((frame) => isToCome(state, inFrame(frame)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('the remaining steps of a failed item are over, and the other items continue', () => {
    const state = until(({ kind }) => kind === 'step_failed');
    expect(['each[0]', 'each[1]', 'each[2]'].map((frame) => isToCome(state, inFrame(frame)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('before the loop begins, all of its items are to come', () => {
    expect(
      isToCome(
        until(() => false),
        inFrame('each[7]'),
      ),
    ).toBe(true);
  });
});
