import { expect, test } from 'vitest';
import type { Pause, PauseAnswer } from '../../component/pause.ts';
import type { Fact, JournalEntry } from './history.ts';
import { questionIn } from './question.ts';

const key = { frame: '', nodeId: 'ask', stage: 'step' } as const;
const approval: Pause = { kind: 'approval', prompt: 'Go?', fallback: true, until: 60 };
const no: PauseAnswer = { kind: 'decision', confirmed: false, response: '', by: 'ada' };

const paused = (pause: Pause, about = {}): Fact => ({
  kind: 'step_paused',
  ...key,
  at: 1,
  attempt: 1,
  pause,
  ...about,
});
const resumed = (answer: PauseAnswer, at: number): Fact => ({ kind: 'step_resumed', ...key, at, answer });
const journalOf = (...facts: readonly JournalEntry['fact'][]): readonly JournalEntry[] =>
  facts.map((fact, index) => ({ seq: index + 1, fact }));

test('a question without an answer has no end', () => {
  expect(questionIn(journalOf(paused(approval)), key)).toEqual({ prompt: 'Go?', end: null });
});

test('a question ends with the answer of a person, or at its time limit with the default answer', () => {
  expect(questionIn(journalOf(paused(approval), resumed(no, 5)), key)).toEqual({
    prompt: 'Go?',
    end: { kind: 'answered', confirmed: false, at: 5 },
  });
  expect(questionIn(journalOf(paused(approval), resumed({ kind: 'time' }, 60)), key)).toEqual({
    prompt: 'Go?',
    end: { kind: 'timed_out', confirmed: true, at: 60 },
  });
});

test('only the last question of the step counts', () => {
  const again = { ...approval, prompt: 'Again?' };
  expect(questionIn(journalOf(paused(approval), resumed(no, 5), paused(again)), key)).toEqual({
    prompt: 'Again?',
    end: null,
  });
});

test('questions of other nodes, iterations and stages, other waits and revoked questions do not count', () => {
  const others = [{ nodeId: 'other' }, { frame: 'each[1]' }, { stage: 'before' }];
  for (const other of others) expect(questionIn(journalOf(paused(approval, other)), key)).toBeNull();
  expect(questionIn(journalOf(paused({ kind: 'timer', until: 9 })), key)).toBeNull();
  const retried = { kind: 'run_retried', at: 9, revoked: [1] } as const;
  expect(questionIn(journalOf(paused(approval), retried), key)).toBeNull();
});
