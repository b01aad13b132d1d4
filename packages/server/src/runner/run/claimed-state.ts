import {
  followSetClock,
  formatInstant,
  type Instant,
  type LaterNumbers,
  laterAttemptNumbers,
  type Plan,
  RunScope,
  type RunState,
  runThrough,
  type StepState,
} from '@millrace/core';
import type { ClaimedRun } from '../../store/executions.ts';
import type { RunnerPorts } from '../ports.ts';
import { mayHaveBegun } from '../steps/unknown-outcome.ts';
import { folding, totalOf } from './resumption.ts';

/** A claimed run whose large journal may be folded already. */
export interface ResumedRun extends ClaimedRun {
  readonly folded?: RunState;
}

/** The state of a claimed run: from the cache, or the fold of its journal. Its times are those of the current clock. */
export function claimedState(plan: Plan, run: ResumedRun): RunState {
  const { cached, folded } = run;
  if (folded !== undefined) return folded;
  if (cached === undefined) return runThrough(folding(plan, run));
  const byMs = clockSetMs(run) - cached.clockSetMs;
  if (byMs !== 0) followSetClock(cached.state, byMs);
  return cached.state;
}

/** By how much the clock was set in total while a run was in progress. */
export function clockSetMs({ clockSets }: Pick<ClaimedRun, 'clockSets'>): number {
  return totalOf(clockSets);
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
