import type { Question } from '../api/questions.ts';

/** A question on the page. */
export interface HeldQuestion {
  readonly question: Question;
  /** False once it has an answer, or its run needs none any more. */
  readonly isOpen: boolean;
}

/** The same for each reading of one question, and different for a question that its step asks again. */
export function keyOf({ executionId, node_id: node, frame, since }: Question): string {
  return JSON.stringify([executionId, node, frame, since]);
}

/**
 * The questions that a person sees, in their order, with the new ones at the end. A question that is no longer open
 * stays, so that nothing moves under the pointer and no comment disappears while somebody writes it.
 */
export function heldQuestions(shown: readonly Question[], open: readonly Question[]): readonly HeldQuestion[] {
  const openKeys = new Set(open.map(keyOf));
  const known = new Set(shown.map(keyOf));
  const added = open.filter((question) => !known.has(keyOf(question)));
  return [...shown, ...added.toSorted(byAge)].map((question) => ({ question, isOpen: openKeys.has(keyOf(question)) }));
}

/** Oldest first. Timestamps of the API sort like texts. */
function byAge(one: Question, other: Question): number {
  return (one.since ?? '').localeCompare(other.since ?? '');
}
