import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, RandomWorld } from '../../../test/random-world.ts';
import { journalOf, picks, planOf, worlds } from '../../../test/simulated-world.ts';
import { AttemptNumbering, laterAttemptNumbers } from './attempt-numbers.ts';
import type { Fact, JournalEntry, RunRetried } from './history.ts';
import { retryOf } from './retried-journal.ts';

const at = 0;
const failure = { code: 'assertion', message: 'No.' } as const;
const a = { nodeId: 'a', frame: '', at };
const end: Fact = { kind: 'run_finished', at, status: 'failed', output: null, failure, nodeId: 'a' };
const failed = (attempt: number, retryAt: number | null): Fact => ({
  ...{ kind: 'step_failed', ...a, attempt, durationMs: 0, failure, retryAt },
});
const succeeded = (attempt: number): Fact => ({ kind: 'step_succeeded', ...a, attempt, durationMs: 0, outputs: {} });
const retried = (...revoked: number[]): RunRetried => ({ kind: 'run_retried', at, revoked });

function entriesOf(facts: readonly JournalEntry['fact'][]): readonly JournalEntry[] {
  return facts.map((fact, index) => ({ seq: index + 1, fact }));
}

/** The numbers as displayed. */
function shown(facts: readonly JournalEntry['fact'][]): readonly number[] {
  const numbering = new AttemptNumbering();
  return entriesOf(facts).flatMap((entry) => {
    const added = numbering.follow(entry);
    return 'attempt' in entry.fact ? [entry.fact.attempt + added] : [];
  });
}

test('attempts of a run that was never retried have the numbers of the journal', () => {
  expect(shown([failed(1, 5), failed(2, null), end])).toEqual([1, 2]);
});

test('numbers continue after each retry', () => {
  const facts = [failed(1, 5), failed(2, null), end, retried(1, 2, 3), failed(1, 5), failed(2, null), end];
  const again = [...facts, retried(5, 6, 7), succeeded(1)];
  expect(shown(again)).toEqual([1, 2, 3, 4, 5]);
  const later = laterAttemptNumbers(entriesOf(facts.slice(0, 4)));
  expect([later.size, later.addedTo(a), later.addedTo({ ...a, nodeId: 'b' })]).toEqual([1, 2, 0]);
});

test('an attempt that was in progress when the run ended had its number', () => {
  const stopped: Fact = { kind: 'step_stopped', ...a, attempt: 2, startedAt: 0, failure };
  expect(shown([failed(1, 5), stopped, end, retried(3), succeeded(2)])).toEqual([1, 2, 3]);
});

/** The same world without failures. */
function repaired(world: RandomWorld): RandomWorld {
  const sound = (block: Block): Block =>
    block.map((each) => ({ ...each, isFlaky: false, body: each.body === null ? null : sound(each.body) }));
  return { ...world, root: sound(world.root) };
}

test('in a random run that was retried, all attempts of a step have different, increasing numbers', () => {
  fc.assert(
    fc.property(worlds, picks, (world, order) => {
      const before = journalOf(world, order);
      const last = before.at(-1);
      fc.pre(last?.kind === 'run_finished' && last.status === 'failed');
      const { revoked } = retryOf({ plan: planOf(world), journal: entriesOf(before), at });
      const left = before.filter((_fact, index) => !revoked.includes(index + 1));
      const after = journalOf(repaired(world), order, { begun: left }).slice(left.length);
      const journal = entriesOf([...before, retried(...revoked), ...after]);
      const numbering = new AttemptNumbering();
      const highest = new Map<string, number>();
      for (const entry of journal) {
        const added = numbering.follow(entry);
        const { fact } = entry;
        if (fact.kind !== 'step_succeeded' && fact.kind !== 'step_failed' && fact.kind !== 'step_stopped') continue;
        const step = `${fact.frame}/${fact.nodeId}`;
        const number = fact.attempt + added;
        expect(number).toBeGreaterThan(highest.get(step) ?? 0);
        highest.set(step, number);
      }
    }),
  );
});
