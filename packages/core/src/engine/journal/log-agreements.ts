import type { Fact, JournalEntry, StepKey } from './history.ts';

type StepFact = Exclude<Fact, { kind: 'run_finished' }>;

/** Who agreed to the fact in the entry with this `seq`. */
export interface Agreement {
  readonly seq: number;
  readonly by: string;
}

/** The questions about a step and the agreements to them. */
interface Questions {
  /** Whether the last question was that after a crash: perform the step again, although it may have acted? */
  isAgain: boolean;
  /** To the question before the first attempt: holds for all attempts, until a retry revokes it. */
  begin: Agreement | null;
  /** To the question after a crash: holds for one attempt. */
  again: Agreement | null;
  /** The `seq` of its success. */
  succeeded: number | null;
}

/**
 * Follows a journal, and returns who agreed to each step: that it begins, that it is performed again although it may have
 * acted, or that the run continues after it.
 */
export class Agreements {
  readonly #steps = new Map<string, Questions>();

  /** Follows the next entry. Returns the agreement that it shows; one after a step belongs to the step's earlier success. */
  follow({ seq, fact }: JournalEntry): Agreement | null {
    if (fact.kind === 'run_finished') return null;
    if (fact.kind === 'run_retried') {
      this.#revoke(new Set(fact.revoked));
      return null;
    }
    const step = this.#questionsOf(fact);
    const isAfter = fact.kind === 'step_resumed' && fact.stage === 'after';
    const by = isAfter ? whoAgreed(fact) : followStep(step, fact, seq);
    const about = isAfter ? step.succeeded : seq;
    return by === null || about === null ? null : { seq: about, by };
  }

  /** A question that is asked again needs another agreement. */
  #revoke(revoked: ReadonlySet<number>): void {
    for (const step of this.#steps.values()) {
      for (const question of ['begin', 'again'] as const) {
        const agreement = step[question];
        if (agreement !== null && revoked.has(agreement.seq)) step[question] = null;
      }
    }
  }

  #questionsOf({ frame, nodeId }: StepKey): Questions {
    const key = JSON.stringify([frame, nodeId]);
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const step: Questions = { isAgain: false, begin: null, again: null, succeeded: null };
    this.#steps.set(key, step);
    return step;
  }
}

/** Notes a fact of a step, and returns who agreed to it. */
function followStep(step: Questions, fact: StepFact, seq: number): string | null {
  if ((fact.kind === 'step_paused' || fact.kind === 'step_resumed') && fact.stage === 'before') {
    if (fact.kind === 'step_paused') step.isAgain = fact.attempt > 0;
    const by = fact.kind === 'step_resumed' ? whoAgreed(fact) : null;
    step[step.isAgain ? 'again' : 'begin'] = by === null ? null : { seq, by };
    return null;
  }
  const by = (step.again ?? step.begin)?.by ?? null;
  if (fact.kind === 'step_succeeded') Object.assign(step, { begin: null, again: null, succeeded: seq });
  else if (fact.kind === 'step_failed' || fact.kind === 'step_stopped') step.again = null;
  return by;
}

function whoAgreed({ answer }: Extract<Fact, { kind: 'step_resumed' }>): string | null {
  return answer.kind === 'decision' && answer.confirmed ? answer.by : null;
}
