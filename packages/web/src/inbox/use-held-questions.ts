import { useState } from 'react';
import type { Question } from '../api/questions.ts';
import { heldQuestions, keyOf } from './held-questions.ts';

/** The questions on the page, and a function that removes one. */
export function useHeldQuestions(open: readonly Question[]) {
  const [shown, setShown] = useState<readonly Question[]>([]);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const held = heldQuestions(
    shown,
    open.filter((question) => !dismissed.has(keyOf(question))),
  );
  if (held.length !== shown.length) setShown(held.map(({ question }) => question));
  const dismiss = (question: Question): void => {
    const key = keyOf(question);
    setDismissed(new Set([...dismissed, key]));
    setShown(shown.filter((other) => keyOf(other) !== key));
  };
  return { held, dismiss };
}
