import { itemFailure } from './fold-loop.ts';
import type { JournalEntry, LoopStarted, StandingEntry, StepFailed } from './history.ts';

/**
 * The entries that count: all but those that a later retry took back. State is the fold of these. A journal that was
 * never retried counts as it is.
 */
export function standingEntries(entries: readonly JournalEntry[]): readonly StandingEntry[] {
  const revoked = new Set<number>();
  for (const { fact } of entries) {
    if (fact.kind === 'run_retried') for (const seq of fact.revoked) revoked.add(seq);
  }
  return entries.filter(
    (entry): entry is StandingEntry => entry.fact.kind !== 'run_retried' && !revoked.has(entry.seq),
  );
}

/**
 * What a retry takes back of a failed run's journal: its end, and all attempts of the step whose failure ended it. So
 * that step is ready again, with all its attempts; what succeeded stays, and what was under way or waited begins anew.
 * Where an item's failure failed its loop, the loop goes on in that item.
 */
export function revokedByRetry(entries: readonly JournalEntry[]): readonly number[] {
  const standing = standingEntries(entries);
  const end = standing.at(-1);
  if (end?.fact.kind !== 'run_finished') return [];
  const { nodeId } = end.fact;
  const failed =
    nodeId === null ? undefined : lastFailure(standing, (fact) => fact.frame === '' && fact.nodeId === nodeId);
  const revoked = failed === undefined ? [] : revokedFor(standing, failed);
  return [...new Set([...revoked, ...openPauses(standing), end.seq])].sort((a, b) => a - b);
}

/** What was waited for when the run ended is not there any more: those steps pause anew. */
function openPauses(standing: readonly StandingEntry[]): readonly number[] {
  const open = new Map<string, number>();
  for (const { seq, fact } of standing) {
    if (fact.kind !== 'step_paused' && fact.kind !== 'step_resumed') continue;
    const key = JSON.stringify([fact.frame, fact.nodeId, fact.stage]);
    if (fact.kind === 'step_paused') open.set(key, seq);
    else open.delete(key);
  }
  return [...open.values()];
}

interface FailedEntry {
  readonly seq: number;
  readonly fact: StepFailed;
}

function lastFailure(standing: readonly StandingEntry[], isIt: (fact: StepFailed) => boolean): FailedEntry | undefined {
  return standing.findLast((entry): entry is FailedEntry => entry.fact.kind === 'step_failed' && isIt(entry.fact));
}

/** From the step that failed inwards: a loop goes on where its item failed, anything else is performed anew. */
function revokedFor(standing: readonly StandingEntry[], failed: FailedEntry): readonly number[] {
  const { frame, nodeId, attempt, failure } = failed.fact;
  const loop = standing.find(
    ({ fact }) =>
      fact.kind === 'loop_started' && fact.frame === frame && fact.nodeId === nodeId && fact.attempt === attempt,
  )?.fact as LoopStarted | undefined;
  const item =
    loop &&
    lastFailure(standing, (fact) => itemFailure(fact.frame, fact.nodeId, fact.failure).message === failure.message);
  if (item !== undefined) return [...revokedFor(standing, item), failed.seq];
  const path = frame === '' ? nodeId : `${frame}/${nodeId}`;
  return standing
    .filter(({ fact }) => {
      if (fact.kind === 'run_finished') return false;
      const isInside = fact.frame.startsWith(`${path}[`) || fact.frame.startsWith(`${path}#`);
      // Who was asked before the step began need not be asked again.
      const wasAsked = (fact.kind === 'step_paused' || fact.kind === 'step_resumed') && fact.stage === 'before';
      return isInside || (fact.frame === frame && fact.nodeId === nodeId && !wasAsked);
    })
    .map(({ seq }) => seq);
}
