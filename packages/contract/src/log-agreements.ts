import type { JournalEntry, PauseAnswer } from '@millrace/core';

/**
 * Who agreed to what became of a step, by the places of the entries that tell of it: that it begins, that it is performed
 * again although nobody knows whether it acted, or that the run goes on after it.
 */
export function agreements(journal: readonly JournalEntry[]): ReadonlyMap<number, string> {
  const by = new Map<number, string>();
  /** Of steps under way: who agreed that they begin. */
  const agreed = new Map<string, string>();
  const succeeded = new Map<string, number>();
  for (const { seq, fact } of journal) {
    if (fact.kind === 'run_finished' || fact.kind === 'run_retried') continue;
    const key = JSON.stringify([fact.frame, fact.nodeId]);
    if (fact.kind === 'step_resumed') {
      const who = whoAgreed(fact.answer);
      const end = succeeded.get(key);
      if (fact.stage === 'before' && who !== null) agreed.set(key, who);
      if (fact.stage === 'after' && who !== null && end !== undefined) by.set(end, who);
      continue;
    }
    const who = agreed.get(key);
    if (who !== undefined) by.set(seq, who);
    if (fact.kind === 'step_succeeded') succeeded.set(key, seq);
    // The next attempt is one of its own: a policy's, or one that somebody is asked about anew.
    if (fact.kind === 'step_succeeded' || fact.kind === 'step_failed') agreed.delete(key);
  }
  return by;
}

function whoAgreed(answer: PauseAnswer): string | null {
  return answer.kind === 'decision' && answer.confirmed ? answer.by : null;
}
