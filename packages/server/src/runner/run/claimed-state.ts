import {
  applyFact,
  followSetClock,
  formatInstant,
  type Instant,
  type LaterNumbers,
  laterAttemptNumbers,
  newRunState,
  type Plan,
  RunScope,
  type RunState,
  type StepState,
  standingEntries,
} from '@millrace/core';
import type { ClaimedRun, RunClockSet } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import { mayHaveBegun } from '../steps/unknown-outcome.ts';

/** The state of a claimed run: from the cache, or the fold of its journal. Its times are those of the current clock. */
export function claimedState(plan: Plan, run: ClaimedRun): RunState {
  const { cached, countsFrom, journal, clockSets } = run;
  if (cached !== undefined) {
    const byMs = clockSetMs(run) - cached.clockSetMs;
    if (byMs !== 0) followSetClock(cached.state, byMs);
    return cached.state;
  }
  // The time limit restarts with a retry, so earlier changes of the clock do not move its start.
  const retriedAt = journal.findLast(({ fact }) => fact.kind === 'run_retried')?.seq ?? 0;
  const before = clockSets.filter(({ afterSeq }) => afterSeq < retriedAt);
  const state = newRunState(plan, countsFrom - sumOf(before));
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
  }
  followUntil(Number.POSITIVE_INFINITY);
  // The waits that these facts have ended are already closed in the store.
  state.abandoned.length = 0;
  return state;
}

/** By how much the clock was set in total while a run was in progress. */
export function clockSetMs({ clockSets }: Pick<ClaimedRun, 'clockSets'>): number {
  return sumOf(clockSets);
}

function sumOf(sets: readonly RunClockSet[]): number {
  return sets.reduce((sum, { byMs }) => sum + byMs, 0);
}

/** The offsets that turn the attempt numbers of a claimed run into those that its log shows. */
export function claimedNumbers({ cached, journal }: ClaimedRun): LaterNumbers {
  return cached?.numbers ?? laterAttemptNumbers(journal);
}

const none: ReadonlySet<StepState> = new Set();

/** The steps that an earlier owner of the run may have started. */
export function inheritedSteps({ epoch }: ClaimedRun, { open }: RunState, now: Instant): ReadonlySet<StepState> {
  return epoch === 1 ? none : new Set([...open].filter((step) => mayHaveBegun(step, now)));
}

/** The names that the expressions of a run's steps can use. */
export function claimedScope({ links }: Pick<RunnerPorts, 'links'>, run: ClaimedRun, state: RunState): RunScope {
  return new RunScope(state, {
    trigger: run.trigger,
    run: { id: run.id, started_at: formatInstant(run.startedAt), workflow: run.workflowSlug },
    vars: run.variables ?? undefined,
    links: (step) => links.outputsOf(run.id, step),
  });
}
