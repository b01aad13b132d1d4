import {
  applyFact,
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
import type { ClaimedRun } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import { mayHaveBegun } from '../steps/unknown-outcome.ts';

/** The state of a claimed run: from the cache, or the fold of its journal. */
export function claimedState(plan: Plan, { cached, countsFrom, journal }: ClaimedRun): RunState {
  if (cached !== undefined) return cached.state;
  const state = newRunState(plan, countsFrom);
  for (const { fact } of standingEntries(journal)) applyFact(state, fact);
  // The waits that these facts have ended are already closed in the store.
  state.abandoned.length = 0;
  return state;
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
