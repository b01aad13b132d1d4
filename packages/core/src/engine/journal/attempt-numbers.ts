import type { JournalEntry, StepKey } from './history.ts';

/** Offsets of the attempt numbers, so that each attempt of a step has its own number. */
export interface AttemptNumbers {
  /** The offset for the attempt of an entry, by its `seq`. */
  addedAt(seq: number): number;
  /** The offsets for later attempts. Only another retry changes them. */
  readonly later: LaterNumbers;
}

/** The offset for later attempts. */
export interface LaterNumbers {
  /** The number of steps with an offset. */
  readonly size: number;
  addedTo(key: StepKey): number;
}

/** An attempt with a fact that no retry has revoked. */
interface CountedAttempt {
  readonly seq: number;
  readonly attempt: number;
  /** Whether it has ended: the next attempt gets the next number. */
  readonly hasEnded: boolean;
}

interface StepAttempts {
  standing: CountedAttempt[];
  added: number;
  /** The highest displayed number. */
  last: number;
}

/**
 * After a retry of the execution the attempts of a step count from 1 again, as its policy requires. They are displayed
 * with continued numbers, so that readers can distinguish them from earlier ones.
 */
export function attemptNumbers(journal: readonly JournalEntry[]): AttemptNumbers {
  // Most runs are never retried.
  if (!journal.some(({ fact }) => fact.kind === 'run_retried')) return nothingAdded;
  const steps = new Map<string, StepAttempts>();
  const added = new Map<number, number>();
  for (const { seq, fact } of journal) {
    if (fact.kind === 'run_retried') restart(steps, new Set(fact.revoked));
    // An approval before the first attempt is not an attempt.
    if (!('attempt' in fact) || fact.attempt === 0) continue;
    const { attempt, kind } = fact;
    const own = attemptsOf(steps, fact);
    own.standing.push({ seq, attempt, hasEnded: kind === 'step_succeeded' || kind === 'step_failed' });
    own.last = Math.max(own.last, attempt + own.added);
    added.set(seq, own.added);
  }
  return { addedAt: (seq) => added.get(seq) ?? 0, later: laterNumbers(steps) };
}

const nothingAdded: AttemptNumbers = { addedAt: () => 0, later: { size: 0, addedTo: () => 0 } };

/** Small: unlike the journal it stays in memory with its run. */
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

/** The next attempt of each step gets the number after the last displayed one. */
function restart(steps: ReadonlyMap<string, StepAttempts>, revoked: ReadonlySet<number>): void {
  for (const own of steps.values()) {
    own.standing = own.standing.filter(({ seq }) => !revoked.has(seq));
    const counted = own.standing.findLast(({ hasEnded }) => hasEnded)?.attempt ?? 0;
    own.added = own.last - counted;
  }
}
