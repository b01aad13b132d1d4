import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../test/graphs.ts';
import { fold } from '../test/simulate.ts';
import type { Fact, JournalEntry, StepFailed } from './history.ts';
import { planRun } from './plan.ts';
import { retryOf } from './retried-journal.ts';

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

/** A run whose second item failed, and with it the loop; how the loop's failure says so is given. */
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

/** The steps that a retry of it begins with. */
function beginning(loopFailure: Partial<StepFailed>): readonly string[] {
  const journal = journalWith(loopFailure);
  const { revoked } = retryOf({ plan, journal, at: 1 });
  const left = journal.flatMap(({ seq, fact }) => (revoked.includes(seq) || fact.kind === 'run_retried' ? [] : [fact]));
  return [...fold(plan, left).open].map(({ frame, node: { nodeId } }) => `${frame.key}/${nodeId}`);
}

describe('a retry of a run whose loop failed', () => {
  const cause = { frame: 'each[1]', nodeId: 'a' };

  test('goes on in the item that failed, in whatever words the failures are told', () => {
    for (const message of ["Iteration each[1]: node 'a' failed: No.", 'In the words of another release.', 'No.']) {
      expect(beginning({ failure: { code: 'assertion', message }, cause })).toEqual(['each[1]/a']);
    }
  });

  test('finds the item by the words where the fact does not name it, as it once did not', () => {
    const message = "Iteration each[1]: node 'a' failed: No.";
    expect(beginning({ failure: { code: 'assertion', message } })).toEqual(['each[1]/a']);
  });

  test('begins the loop anew where it failed as a whole', () => {
    expect(beginning({ failure: { code: 'step_timeout', message: 'Too long.' } })).toEqual(['/each']);
  });
});
