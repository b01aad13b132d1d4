import { runThrough, type SlicedWork } from '../../base/meter.ts';
import type { PauseAnswer, PauseKey, PauseStage } from '../../component/pause.ts';
import type { Instant } from '../../time.ts';
import { applyFact } from '../fold/fold.ts';
import { itemFailure } from '../fold/fold-loop.ts';
import type { Plan } from '../plan.ts';
import { newRunState, type RunState, type StepState } from '../run-state.ts';
import type { ChildPaused, Fact, JournalEntry, StandingEntry, StepFailed, StepKey } from './history.ts';

/**
 * The entries that a later retry has not revoked. State is the fold of these. In a journal that was never retried, all
 * entries count.
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

/** The changes to a run's journal that let it continue. */
export interface Retry {
  /** The numbers of the revoked facts. */
  readonly revoked: readonly number[];
  /**
   * Steps that wait again for the sub-workflows that they started, which also continue. A step that must not wait
   * again, because its sub-workflow is gone, starts again.
   */
  readonly paused: readonly ChildPaused[];
}

interface Retried {
  readonly plan: Plan;
  readonly journal: readonly JournalEntry[];
  readonly at: Instant;
}

/**
 * How a failed or cancelled run continues. Its end is revoked, and so are all attempts of the steps whose failure ended
 * it and any answer "no": such a step is ready again, with all its attempts. Successful steps remain; steps that were
 * in progress or waiting start again. If a failed item failed its loop, the loop continues with that item.
 */
export function retryOf(retried: Retried): Retry {
  return runThrough(retryInSlices(retried));
}

/** The same in slices, for a long journal. */
export function* retryInSlices({ plan, journal, at }: Retried): SlicedWork<Retry> {
  const standing = standingEntries(journal);
  const end = standing.at(-1);
  if (end?.fact.kind !== 'run_finished') return { revoked: [], paused: [] };
  const revoked = new Set([end.seq]);
  const left = () => standing.filter(({ seq }) => !revoked.has(seq));
  let state = yield* foldEntries(plan, left());
  // Several steps may have failed at the same time: each would end the run again.
  for (let causes = causesOfEnd(state, left()); causes.length > 0; causes = causesOfEnd(state, left())) {
    for (const seq of causes) revoked.add(seq);
    state = yield* foldEntries(plan, left());
  }
  for (const seq of openWaits(state, left())) revoked.add(seq);
  const waited = lastOfKeys(
    standing.filter(({ seq, fact }) => revoked.has(seq) && isChildPause(fact)),
    'step_paused',
  );
  const { open } = yield* foldEntries(plan, left());
  const ready = [...open].filter(({ phase }) => phase === 'ready');
  const paused = ready.flatMap((step) => {
    const before = waited.get(keyOf(step, 'step'))?.fact;
    return before !== undefined && isChildPause(before) ? [waitsAgain(before, step, at)] : [];
  });
  return { revoked: [...revoked].sort((a, b) => a - b), paused };
}

/** The fold of entries that count. It may stop after each of them. */
export function* foldEntries(plan: Plan, entries: readonly StandingEntry[]): SlicedWork<RunState> {
  const state = newRunState(plan);
  for (const { fact } of entries) {
    applyFact(state, fact);
    yield;
  }
  return state;
}

/** The facts that would end the run, or a loop in it, again at once. */
function causesOfEnd({ failure, declined, open }: RunState, left: readonly StandingEntry[]): readonly number[] {
  if (failure !== null) return revokedAt(left, { frame: '', nodeId: failure.nodeId });
  if (declined !== null) return noOf(declined.nodeId, left);
  // The run ended between the failure of an item and that of its loop, or of a call and that of its step.
  const cause = [...open].map(({ loop, calls }) => loop?.cause ?? calls?.cause ?? null).find((key) => key !== null);
  return cause === undefined || cause === null ? [] : revokedAt(left, cause);
}

/** The facts of a failed step that a retry revokes. */
function revokedAt(left: readonly StandingEntry[], key: StepKey): readonly number[] {
  const failed = lastFailure(left, (fact) => fact.frame === key.frame && fact.nodeId === key.nodeId);
  return failed === undefined ? [] : revokedFor(left, failed);
}

/** The request for approval that was answered with no, and that answer. */
function noOf(nodeId: string, left: readonly StandingEntry[]): readonly number[] {
  const no = left.findLast(
    ({ fact }) => fact.kind === 'step_resumed' && fact.stage !== 'step' && fact.nodeId === nodeId,
  );
  const asked = no?.fact.kind === 'step_resumed' ? lastOfKeys(left, 'step_paused').get(keyOfFact(no.fact)) : undefined;
  return no === undefined || asked === undefined ? [] : [asked.seq, no.seq];
}

/**
 * Waits that were open when the run ended no longer exist, and failed sub-workflows must continue: those steps pause
 * again.
 */
function openWaits({ paused, open }: RunState, left: readonly StandingEntry[]): readonly number[] {
  const pauses = lastOfKeys(left, 'step_paused');
  const waiting = [...paused].map((step) => pauses.get(keyOf(step, step.pause?.stage ?? 'step')));
  // The failure of the sub-workflow was committed together with the run's own end, so it had no effect.
  const failed = [...open].filter(({ resumed }) => resumed?.pause.kind === 'child' && !isCompleted(resumed.answer));
  const answers = lastOfKeys(failed.length === 0 ? [] : left, 'step_resumed');
  const answered = failed.flatMap((step) => [pauses, answers].map((last) => last.get(keyOf(step, 'step'))));
  return [...waiting, ...answered].flatMap((entry) => (entry === undefined ? [] : [entry.seq]));
}

/** The last pause or answer for each step and stage. */
function lastOfKeys(
  entries: readonly StandingEntry[],
  kind: 'step_paused' | 'step_resumed',
): ReadonlyMap<string, StandingEntry> {
  return new Map(entries.flatMap((entry) => (entry.fact.kind === kind ? [[keyOfFact(entry.fact), entry]] : [])));
}

function keyOfFact({ frame, nodeId, stage }: PauseKey): string {
  return JSON.stringify([frame, nodeId, stage]);
}

function keyOf({ frame, node }: StepState, stage: PauseStage): string {
  return keyOfFact({ frame: frame.key, nodeId: node.nodeId, stage });
}

/** The step waits for the same duration as before. */
function waitsAgain({ pause, at: before, ...fact }: ChildPaused, step: StepState, at: Instant): ChildPaused {
  const until = pause.until === null ? null : at + (pause.until - before);
  return { ...fact, at, attempt: step.attempts + 1, pause: { ...pause, until } };
}

function isChildPause(fact: Fact): fact is ChildPaused {
  return fact.kind === 'step_paused' && fact.stage === 'step' && fact.pause.kind === 'child';
}

function isCompleted(answer: PauseAnswer): boolean {
  return answer.kind === 'end' && answer.status === 'completed';
}

interface FailedEntry {
  readonly seq: number;
  readonly fact: StepFailed;
}

function lastFailure(standing: readonly StandingEntry[], isIt: (fact: StepFailed) => boolean): FailedEntry | undefined {
  return standing.findLast((entry): entry is FailedEntry => entry.fact.kind === 'step_failed' && isIt(entry.fact));
}

/** The step whose failure failed a loop; undefined for a loop that failed as a whole, and for any other step. */
function failedItem(standing: readonly StandingEntry[], failed: StepFailed): FailedEntry | undefined {
  const { frame, nodeId, attempt, failure, cause } = failed;
  if (cause !== undefined) {
    return lastFailure(standing, (fact) => fact.frame === cause.frame && fact.nodeId === cause.nodeId);
  }
  const isLoop = standing.some(
    ({ fact }) =>
      fact.kind === 'loop_started' && fact.frame === frame && fact.nodeId === nodeId && fact.attempt === attempt,
  );
  // Journals of earlier releases name the step only in the message.
  const words = (fact: StepFailed) => itemFailure(fact.frame, fact.nodeId, fact.failure).message;
  return isLoop ? lastFailure(standing, (fact) => words(fact) === failure.message) : undefined;
}

/** From the failed step inwards: a loop continues with its failed item, any other step is performed again. */
function revokedFor(standing: readonly StandingEntry[], failed: FailedEntry): readonly number[] {
  const { frame, nodeId } = failed.fact;
  const item = failedItem(standing, failed.fact);
  if (item !== undefined) return [...revokedFor(standing, item), failed.seq];
  const path = frame === '' ? nodeId : `${frame}/${nodeId}`;
  return standing
    .filter(({ fact }) => {
      if (fact.kind === 'run_finished') return false;
      const isInside = fact.frame.startsWith(`${path}[`) || fact.frame.startsWith(`${path}#`);
      // An approval before the step began need not be given again.
      const wasAsked = (fact.kind === 'step_paused' || fact.kind === 'step_resumed') && fact.stage === 'before';
      return isInside || (fact.frame === frame && fact.nodeId === nodeId && !wasAsked);
    })
    .map(({ seq }) => seq);
}
