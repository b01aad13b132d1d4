import type { JournalEntry, StepKey } from './history.ts';

/** What is added to the numbers of attempts, so that none of a step has that of another. */
export interface AttemptNumbers {
  /** To the attempt of an entry, by its place in the journal. */
  addedAt(seq: number): number;
  /** To those that are still to come. Only another retry changes that. */
  readonly later: LaterNumbers;
}

/** What is added to the numbers of attempts that are still to come. */
export interface LaterNumbers {
  /** Of how many steps. */
  readonly size: number;
  addedTo(key: StepKey): number;
}

/** An attempt that a fact tells of, and that no retry took back. */
interface Tried {
  readonly seq: number;
  readonly attempt: number;
  /** Whether it has ended, so that the next one has the next number. */
  readonly hasEnded: boolean;
}

interface Tries {
  standing: Tried[];
  added: number;
  /** The highest number that was shown. */
  last: number;
}

/**
 * A retry lets the attempts of a step count from 1 again, as its policy does; who reads the journal could not tell them
 * from those before. So they are shown with numbers that go on.
 */
export function attemptNumbers(journal: readonly JournalEntry[]): AttemptNumbers {
  // Nearly every journal is one of a run that nobody retried.
  if (!journal.some(({ fact }) => fact.kind === 'run_retried')) return nothingAdded;
  const tries = new Map<string, Tries>();
  const added = new Map<number, number>();
  for (const { seq, fact } of journal) {
    if (fact.kind === 'run_retried') startAnew(tries, new Set(fact.revoked));
    // Who is asked before the first attempt makes none.
    if (!('attempt' in fact) || fact.attempt === 0) continue;
    const { attempt, kind } = fact;
    const own = triesOf(tries, fact);
    own.standing.push({ seq, attempt, hasEnded: kind === 'step_succeeded' || kind === 'step_failed' });
    own.last = Math.max(own.last, attempt + own.added);
    added.set(seq, own.added);
  }
  return { addedAt: (seq) => added.get(seq) ?? 0, later: laterNumbers(tries) };
}

const nothingAdded: AttemptNumbers = { addedAt: () => 0, later: { size: 0, addedTo: () => 0 } };

/** Holds no more than it needs: it stays in memory with its run, the journal does not. */
function laterNumbers(tries: ReadonlyMap<string, Tries>): LaterNumbers {
  const added = new Map<string, number>();
  for (const [key, own] of tries) if (own.added > 0) added.set(key, own.added);
  return { size: added.size, addedTo: (key) => added.get(keyOf(key)) ?? 0 };
}

function keyOf({ frame, nodeId }: StepKey): string {
  return JSON.stringify([frame, nodeId]);
}

function triesOf(tries: Map<string, Tries>, key: StepKey): Tries {
  const known = tries.get(keyOf(key));
  if (known !== undefined) return known;
  const own: Tries = { standing: [], added: 0, last: 0 };
  tries.set(keyOf(key), own);
  return own;
}

/** The next attempt of each step has the number after the last that was shown of it. */
function startAnew(tries: ReadonlyMap<string, Tries>, revoked: ReadonlySet<number>): void {
  for (const own of tries.values()) {
    own.standing = own.standing.filter(({ seq }) => !revoked.has(seq));
    const counted = own.standing.findLast(({ hasEnded }) => hasEnded)?.attempt ?? 0;
    own.added = own.last - counted;
  }
}
