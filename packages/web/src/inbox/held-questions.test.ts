import { describe, expect, it } from 'vitest';
import type { Question } from '../api/questions.ts';
import { heldQuestions } from './held-questions.ts';

const questionOf = (executionId: string, since: string): Question => ({
  log: null,
  executionId,
  workflow: 'orders',
  node_id: 'ask',
  frame: '',
  prompt: 'Go?',
  since: `2026-11-23T09:${since}:00.000000`,
  until: null,
});

const [old, middle, young] = [questionOf('a', '01'), questionOf('b', '02'), questionOf('c', '03')] as const;

const shownBy = (shown: readonly Question[], open: readonly Question[]) =>
  heldQuestions(shown, open).map(({ question, isOpen }) => [question.executionId, isOpen]);

describe('the questions on the page', () => {
  it('begin with the oldest one', () => {
    expect(shownBy([], [young, old])).toEqual([
      ['a', true],
      ['c', true],
    ]);
  });

  it('keep their places when others arrive', () => {
    expect(shownBy([middle], [young, middle, old])).toEqual([
      ['b', true],
      ['a', true],
      ['c', true],
    ]);
  });

  it('stay when they are no longer open', () => {
    expect(shownBy([old, middle], [middle])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('include a question that its step asks again', () => {
    const again = { ...old, since: young.since };
    expect(shownBy([old], [again])).toEqual([
      ['a', false],
      ['a', true],
    ]);
  });
});
