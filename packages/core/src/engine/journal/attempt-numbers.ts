import type { JournalEntry, StepKey } from './history.ts';

/** What is added to the numbers of later attempts. */
export interface LaterNumbers {
  /** The number of steps with an addition. */
  readonly size: number;
  addedTo(key: StepKey): number;
}

/** An attempt with a fact that no retry has revoked. */
interface CountedAttempt {
  readonly seq: number;
  readonly attempt: number;
  /** Whether it has ended: the next attempt has the next number. */
  readonly hasEnded: boolean;
}

interface StepAttempts {
  standing: CountedAttempt[];
  added: number;
  /** The highest number shown. */
  last: number;
}

/** What is added to the numbers of the attempts after a journal. Only another retry changes that. */
export function laterAttemptNumbers(journal: readonly JournalEntry[]): LaterNumbers {
  // Nearly every run was never retried.
  if (!journal.some(({ fact }) => fact.kind === 'run_retried')) return nothingAdded;
  const numbering = new AttemptNumbering();
  for (const entry of journal) numbering.follow(entry);
  return numbering.later();
}

const nothingAdded: LaterNumbers = { size: 0, addedTo: () => 0 };

/**
 * Numbers the attempts of a journal. After a retry of the execution, the journal counts the attempts of a step from 1
 * again, because its policy applies again. Readers see numbers that continue, so that each attempt has its own.
 */
export class AttemptNumbering {
  readonly #steps = new Map<string, StepAttempts>();

  /** Follows the next entry. Returns what is added to the number of its attempt. */
  follow({ seq, fact }: JournalEntry): number {
    if (fact.kind === 'run_retried') restart(this.#steps, new Set(fact.revoked));
    // A question before the first attempt is no attempt.
    if (!('attempt' in fact) || fact.attempt === 0) return 0;
    const { attempt, kind } = fact;
    const own = attemptsOf(this.#steps, fact);
    own.standing.push({ seq, attempt, hasEnded: kind === 'step_succeeded' || kind === 'step_failed' });
    own.last = Math.max(own.last, attempt + own.added);
    return own.added;
  }

  later(): LaterNumbers {
    return laterNumbers(this.#steps);
  }
}

/** Small: it stays in memory with its run, unlike the journal. */
function laterNumbers(steps: ReadonlyMap<string, StepAttempts>): LaterNumbers {
  const added = new Map<string, number>();
  for (const [key, own] of steps) if (own.added > 0) added.set(key, own.added);
  return { size: added.size, addedTo: (key) => added.get(keyOf(key)) ?? 0 };
}

function keyOf({ frame, nodeId }: StepKey): string {
  return JSON.stringify([frame, nodeId]);
}

function attemptsOf(steps: Map<string, StepAttempts>, key: StepKey): StepAttempts {
  const known = steps.get(keyOf(key));
  if (known !== undefined) return known;
  const own: StepAttempts = { standing: [], added: 0, last: 0 };
  steps.set(keyOf(key), own);
  return own;
}

/** The next attempt of each step gets the number after the last one shown. */
function restart(steps: ReadonlyMap<string, StepAttempts>, revoked: ReadonlySet<number>): void {
  for (const own of steps.values()) {
    own.standing = own.standing.filter(({ seq }) => !revoked.has(seq));
    const counted = own.standing.findLast(({ hasEnded }) => hasEnded)?.attempt ?? 0;
    own.added = own.last - counted;
  }
}
