import { expect, test } from 'vitest';
import type { PauseAnswer, PauseStage } from '../../component/pause.ts';
import type { Fact, JournalEntry, RunRetried } from './history.ts';
import { Agreements } from './log-agreements.ts';

const at = 0;
const failure = { code: 'assertion', message: 'No.' } as const;
const of = (nodeId: string) => ({ nodeId, frame: '', at });
const yes: PauseAnswer = { kind: 'decision', confirmed: true, response: '', by: 'ada' };

const answered = (nodeId: string, stage: PauseStage, answer: PauseAnswer = yes): Fact => ({
  ...{ kind: 'step_resumed', ...of(nodeId), stage, answer },
});
/** Without an attempt: the question before the first one. */
const asked = (nodeId: string, attempt = 0): Fact => ({
  ...{ kind: 'step_paused', ...of(nodeId), stage: 'before', attempt },
  pause: { kind: 'approval', prompt: '?', fallback: false, until: null },
});
const begun = (nodeId: string): Fact => ({ kind: 'step_started', ...of(nodeId), attempt: 1 });
const succeeded = (nodeId: string): Fact => ({
  ...{ kind: 'step_succeeded', ...of(nodeId), attempt: 1, durationMs: 0, outputs: {} },
});
const failed = (nodeId: string): Fact => ({
  ...{ kind: 'step_failed', ...of(nodeId), attempt: 1, durationMs: 0, failure, retryAt: 1 },
});

const stopped = (nodeId: string): Fact => ({
  ...{ kind: 'step_stopped', ...of(nodeId), attempt: 1, startedAt: at, failure },
});
const retried = (...revoked: number[]): RunRetried => ({ kind: 'run_retried', at, revoked });
const bob = { ...yes, by: 'bob' };

/** By the `seq` of entries, who agreed to them. */
function agreed(...facts: readonly JournalEntry['fact'][]): readonly (readonly [number, string])[] {
  const agreements = new Agreements();
  return facts.flatMap((fact, index) => {
    const agreement = agreements.follow({ seq: index + 1, fact });
    return agreement === null ? [] : [[agreement.seq, agreement.by] as const];
  });
}

test('an agreement that a step begins is shown with each entry of that attempt', () => {
  expect(agreed(succeeded('b'), answered('a', 'before'), begun('a'), succeeded('b'), succeeded('a'))).toEqual([
    [3, 'ada'],
    [5, 'ada'],
  ]);
});

test('and with the attempts that follow, since nobody is asked about these', () => {
  expect(agreed(asked('a'), answered('a', 'before'), failed('a'), succeeded('a'))).toEqual([
    [3, 'ada'],
    [4, 'ada'],
  ]);
});

test('also with those after a retry of the run, unless that revoked the agreement', () => {
  const before = [asked('a'), answered('a', 'before'), begun('a'), stopped('a')];
  expect(agreed(...before, retried(4), succeeded('a')).at(-1)).toEqual([6, 'ada']);
  const again = [...before, retried(1, 2, 3, 4), asked('a')];
  expect(agreed(...again, answered('a', 'before', { ...bob, confirmed: false }), failed('a'))).toEqual([
    [3, 'ada'],
    [4, 'ada'],
  ]);
  expect(agreed(...again, answered('a', 'before', bob), succeeded('a')).at(-1)).toEqual([8, 'bob']);
});

test('an agreement that a step is performed again is shown with that one attempt', () => {
  const crashed = [begun('a'), asked('a', 1), answered('a', 'before', bob), begun('a'), failed('a'), succeeded('a')];
  expect(agreed(...crashed)).toEqual([
    [4, 'bob'],
    [5, 'bob'],
  ]);
  expect(agreed(asked('a'), answered('a', 'before'), ...crashed)).toEqual([
    [3, 'ada'],
    [6, 'bob'],
    [7, 'bob'],
    [8, 'ada'],
  ]);
  expect(agreed(asked('a', 1), answered('a', 'before', bob), stopped('a'), retried(3), succeeded('a'))).toEqual([
    [3, 'bob'],
  ]);
});

test('an open question shows no agreement', () => {
  expect(agreed(asked('a'), answered('a', 'before'), asked('a', 1))).toEqual([]);
});

test('an agreement that the run continues after a step is shown with that step', () => {
  expect(agreed(succeeded('a'), succeeded('b'), answered('a', 'after'))).toEqual([[1, 'ada']]);
});

test('no agreement is shown when time decided, or somebody declined', () => {
  expect(agreed(answered('a', 'before', { kind: 'time' }), succeeded('a'))).toEqual([]);
  expect(agreed(answered('a', 'before', { ...yes, confirmed: false }), failed('a'))).toEqual([]);
});

test('no agreement is shown for what the step itself waited for', () => {
  expect(agreed(answered('a', 'step'), succeeded('a'))).toEqual([]);
});
