import type { Fact, JournalEntry, StepKey } from '@millrace/core';

type StepFact = Exclude<Fact, { kind: 'run_finished' }>;

/** Somebody's yes, with its place in the journal. */
interface Yes {
  readonly seq: number;
  readonly by: string;
}

/** What is known of a step under way. */
interface Asked {
  /** Whether the last question was that of a crash: perform the step again, although it may have acted? */
  isAgain: boolean;
  /** To the question before its first attempt: the engine goes on under it with all attempts, until a retry takes it back. */
  begin: Yes | null;
  /** To the question after a crash: of one attempt. */
  again: Yes | null;
  /** The place of its success. */
  succeeded: number | null;
}

/**
 * Who agreed to what became of a step, by the places of the entries that tell of it: that it begins, that it is performed
 * again although nobody knows whether it acted, or that the run goes on after it.
 */
export function agreements(journal: readonly JournalEntry[]): ReadonlyMap<number, string> {
  const by = new Map<number, string>();
  const steps = new Map<string, Asked>();
  for (const { seq, fact } of journal) {
    if (fact.kind === 'run_finished') continue;
    if (fact.kind === 'run_retried') {
      takeBack(steps, new Set(fact.revoked));
      continue;
    }
    const step = stepOf(steps, fact);
    const isAfter = fact.kind === 'step_resumed' && fact.stage === 'after';
    const who = isAfter ? whoAgreed(fact) : follow(step, fact, seq);
    const place = isAfter ? step.succeeded : seq;
    if (who !== null && place !== null) by.set(place, who);
  }
  return by;
}

/** Takes note of a fact, and says who agreed to what it tells of. */
function follow(step: Asked, fact: StepFact, seq: number): string | null {
  if ((fact.kind === 'step_paused' || fact.kind === 'step_resumed') && fact.stage === 'before') {
    if (fact.kind === 'step_paused') step.isAgain = fact.attempt > 0;
    const who = fact.kind === 'step_resumed' ? whoAgreed(fact) : null;
    step[step.isAgain ? 'again' : 'begin'] = who === null ? null : { seq, by: who };
    return null;
  }
  const who = (step.again ?? step.begin)?.by ?? null;
  if (fact.kind === 'step_succeeded') Object.assign(step, { begin: null, again: null, succeeded: seq });
  else if (fact.kind === 'step_failed' || fact.kind === 'step_stopped') step.again = null;
  return who;
}

/** Who is asked again must agree again. */
function takeBack(steps: ReadonlyMap<string, Asked>, revoked: ReadonlySet<number>): void {
  for (const step of steps.values()) {
    for (const question of ['begin', 'again'] as const) {
      const yes = step[question];
      if (yes !== null && revoked.has(yes.seq)) step[question] = null;
    }
  }
}

function stepOf(steps: Map<string, Asked>, key: StepKey): Asked {
  const known = steps.get(keyOf(key));
  if (known !== undefined) return known;
  const step: Asked = { isAgain: false, begin: null, again: null, succeeded: null };
  steps.set(keyOf(key), step);
  return step;
}

function keyOf({ frame, nodeId }: StepKey): string {
  return JSON.stringify([frame, nodeId]);
}

function whoAgreed({ answer }: Extract<Fact, { kind: 'step_resumed' }>): string | null {
  return answer.kind === 'decision' && answer.confirmed ? answer.by : null;
}
