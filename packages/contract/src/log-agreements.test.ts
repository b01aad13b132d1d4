import type { Fact, JournalEntry, PauseAnswer, PauseStage } from '@millrace/core';
import { expect, test } from 'vitest';
import { agreements } from './log-agreements.ts';

const at = 0;
const failure = { code: 'assertion', message: 'No.' } as const;
const of = (nodeId: string) => ({ nodeId, frame: '', at });
const yes: PauseAnswer = { kind: 'decision', confirmed: true, response: '', by: 'ada' };

const answered = (nodeId: string, stage: PauseStage, answer: PauseAnswer = yes): Fact => ({
  ...{ kind: 'step_resumed', ...of(nodeId), stage, answer },
});
const begun = (nodeId: string): Fact => ({ kind: 'step_started', ...of(nodeId), attempt: 1 });
const succeeded = (nodeId: string): Fact => ({
  ...{ kind: 'step_succeeded', ...of(nodeId), attempt: 1, durationMs: 0, outputs: {} },
});
const failed = (nodeId: string): Fact => ({
  ...{ kind: 'step_failed', ...of(nodeId), attempt: 1, durationMs: 0, failure, retryAt: 1 },
});

/** By the places of entries, who agreed to them. */
function agreed(...facts: readonly Fact[]): readonly (readonly [number, string])[] {
  return [...agreements(facts.map((fact, index): JournalEntry => ({ seq: index + 1, fact })))];
}

test('who agreed that a step begins is told of all that tells of that attempt', () => {
  expect(agreed(succeeded('b'), answered('a', 'before'), begun('a'), succeeded('b'), succeeded('a'))).toEqual([
    [3, 'ada'],
    [5, 'ada'],
  ]);
});

test('but not of the next attempt, which nobody was asked about', () => {
  expect(agreed(answered('a', 'before'), failed('a'), succeeded('a'))).toEqual([[2, 'ada']]);
});

test('who agreed that the run goes on after a step is told of that step', () => {
  expect(agreed(succeeded('a'), succeeded('b'), answered('a', 'after'))).toEqual([[1, 'ada']]);
});

test('nobody is told of where time decided, or somebody declined', () => {
  expect(agreed(answered('a', 'before', { kind: 'time' }), succeeded('a'))).toEqual([]);
  expect(agreed(answered('a', 'before', { ...yes, confirmed: false }), failed('a'))).toEqual([]);
});

test('what a step itself waited for is for the step to tell', () => {
  expect(agreed(answered('a', 'step'), succeeded('a'))).toEqual([]);
});
