import {
  applyFact,
  followSetClock,
  newRunState,
  type Plan,
  type RunState,
  type SlicedWork,
  standingEntries,
} from '@millrace/core';
import type { ClaimedRun, RunClockSet } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';

/** The fold of a claimed run's journal, in the times of the current clock. It may stop after each fact. */
export function* folding(plan: Plan, { countsFrom, journal, clockSets }: ClaimedRun): SlicedWork<RunState> {
  // The time limit restarts with a retry, so earlier changes of the clock do not move its start.
  const retriedAt = journal.findLast(({ fact }) => fact.kind === 'run_retried')?.seq ?? 0;
  const before = clockSets.filter(({ afterSeq }) => afterSeq < retriedAt);
  const state = newRunState(plan, countsFrom - totalOf(before));
  let next = 0;
  const followUntil = (seq: number): void => {
    for (let set = clockSets[next]; set !== undefined && set.afterSeq < seq; set = clockSets[next]) {
      followSetClock(state, set.byMs);
      next += 1;
    }
  };
  for (const { seq, fact } of standingEntries(journal)) {
    followUntil(seq);
    applyFact(state, fact);
    yield;
  }
  followUntil(Number.POSITIVE_INFINITY);
  // The waits that these facts have ended are already closed in the store.
  state.abandoned.length = 0;
  return state;
}

/** By how much the clock was set by these changes together. */
export function totalOf(sets: readonly RunClockSet[]): number {
  return sets.reduce((sum, { byMs }) => sum + byMs, 0);
}

/** Folds a large journal in slices: requests and other runs continue in between. */
export function foldInSlices(
  { turns, work }: Pick<RunnerPorts, 'turns' | 'work'>,
  run: ClaimedRun,
  plan: Plan,
): Promise<RunState> {
  const resume = { executionId: run.id, during: 'resume', nodeId: null } as const;
  return turns.finish(folding(plan, run), (slice) => work.perform(resume, slice));
}
