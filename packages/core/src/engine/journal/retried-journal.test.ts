import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import type { Block, RandomWorld } from '../../../test/random-world.ts';
import { fold } from '../../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../../test/simulated-world.ts';
import { planRun } from '../plan.ts';
import type { Fact, JournalEntry, StepFailed, StepSucceeded } from './history.ts';
import { retryInSlices, retryOf } from './retried-journal.ts';

const plan = planRun({
  graph: graph(
    [node('hook', 'start'), node('each', 'loop'), node('a', 'step')],
    'hook -> each\neach -loop_body-> a\na -loop_return-> each',
  ),
  catalogue,
  triggerNodeId: 'hook',
});

const common = { at: 0, attempt: 1, durationMs: 0 };
const done = (nodeId: string, frame = ''): Fact => ({
  ...{ kind: 'step_succeeded', nodeId, frame, ...common, outputs: { output: 1 } },
});
const failed = (nodeId: string, frame: string, fields: Partial<StepFailed>): Fact => ({
  ...{ kind: 'step_failed', nodeId, frame, ...common, retryAt: null },
  ...{ failure: { code: 'assertion', message: 'No.' }, ...fields },
});

/** A run whose second item failed, and with it the loop; the message of the loop's failure is a parameter. */
function journalWith(loopFailure: Partial<StepFailed>): readonly JournalEntry[] {
  const facts: readonly Fact[] = [
    done('hook'),
    {
      kind: 'loop_started',
      nodeId: 'each',
      frame: '',
      at: 0,
      attempt: 1,
      items: [1, 2],
      concurrency: 1,
      onItemError: 'stop',
    },
    done('a', 'each[0]'),
    failed('a', 'each[1]', {}),
    failed('each', '', loopFailure),
    {
      kind: 'run_finished',
      at: 0,
      status: 'failed',
      output: null,
      failure: { code: 'assertion', message: '' },
      nodeId: 'each',
    },
  ];
  return facts.map((fact, index) => ({ seq: index + 1, fact }));
}

/** The steps with which a retry of it begins. */
function beginning(loopFailure: Partial<StepFailed>): readonly string[] {
  const journal = journalWith(loopFailure);
  const { revoked } = retryOf({ plan, journal, at: 1 });
  const left = journal.flatMap(({ seq, fact }) => (revoked.includes(seq) || fact.kind === 'run_retried' ? [] : [fact]));
  return [...fold(plan, left).open].map(({ frame, node: { nodeId } }) => `${frame.key}/${nodeId}`);
}

describe('a retry of a run whose loop failed', () => {
  const cause = { frame: 'each[1]', nodeId: 'a' };

  test('continues in the failed item, whatever the messages of the failures are', () => {
    for (const message of ["Iteration each[1]: node 'a' failed: No.", 'In the words of another release.', 'No.']) {
      expect(beginning({ failure: { code: 'assertion', message }, cause })).toEqual(['each[1]/a']);
    }
  });

  test('finds the item by the message if the fact does not name it, as in earlier releases', () => {
    const message = "Iteration each[1]: node 'a' failed: No.";
    expect(beginning({ failure: { code: 'assertion', message } })).toEqual(['each[1]/a']);
  });

  test('starts the loop again if it failed as a whole', () => {
    expect(beginning({ failure: { code: 'step_timeout', message: 'Too long.' } })).toEqual(['/each']);
  });
});

/** The same world without failures. */
function repaired(world: RandomWorld): RandomWorld {
  const sound = (block: Block): Block =>
    block.map((each) => ({ ...each, isFlaky: false, body: each.body === null ? null : sound(each.body) }));
  return { ...world, root: sound(world.root) };
}

/** With the messages for failures of loops that another release might have used. */
function rephrased(fact: Fact): Fact {
  if (fact.kind !== 'step_failed' || fact.cause === undefined) return fact;
  return { ...fact, failure: { ...fact.failure, message: 'In the words of another release.' } };
}

test('a retry of a random failed run may stop after each fact that it folds', () => {
  fc.assert(
    fc.property(worlds, picks, (world, order) => {
      const facts = journalOf(world, order);
      fc.pre(facts.length > 1);
      const journal = facts.map((fact, index) => ({ seq: index + 1, fact }));
      let stops = 0;
      const work = retryInSlices({ plan: planOf(world), journal, at: 0 });
      while (work.next().done !== true) stops += 1;
      expect(stops).toBeGreaterThanOrEqual(facts.length - 1);
    }),
  );
});

test('a retry of a random failed run completes it if nothing fails again, and repeats nothing that succeeded', () => {
  fc.assert(
    fc.property(worlds, picks, (world, order) => {
      const failedRun = journalOf(world, order).map(rephrased);
      const end = failedRun.at(-1);
      fc.pre(end?.kind === 'run_finished' && end.status === 'failed');
      const journal = failedRun.map((fact, index) => ({ seq: index + 1, fact }));
      const { revoked } = retryOf({ plan: planOf(world), journal, at: 0 });
      const left = failedRun.filter((_fact, index) => !revoked.includes(index + 1));
      expect(left.filter(isSuccess)).toEqual(failedRun.filter(isSuccess));
      const whole = journalOf(repaired(world), order, { begun: left });
      expect(whole.at(-1)).toMatchObject({ status: 'completed' });
      const succeeded = whole.filter(isSuccess).map(({ frame, nodeId }) => `${frame}/${nodeId}`);
      expect(succeeded).toEqual([...new Set(succeeded)]);
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 400) },
  );
});

function isSuccess(fact: Fact): fact is StepSucceeded {
  return fact.kind === 'step_succeeded';
}
