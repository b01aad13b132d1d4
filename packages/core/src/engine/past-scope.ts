import type { Scope } from '../expression/scope.ts';
import { applyFact } from './fold/fold.ts';
import type { Fact, JournalEntry } from './journal/history.ts';
import { standingEntries } from './journal/retried-journal.ts';
import type { Plan } from './plan.ts';
import { type RunFacts, RunScope } from './run-scope.ts';
import { newRunState, stepAt } from './run-state.ts';

/** A run whose data a preview uses. */
export interface PastRun {
  readonly plan: Plan;
  readonly journal: readonly JournalEntry[];
  readonly facts: RunFacts;
}

/**
 * The scope that the expressions of a node had when its last step in a run began, in the iteration of that step. If
 * the run did not reach the node, the scope at the end of its journal.
 */
export function pastScope({ plan, journal, facts }: PastRun, nodeId: string | null): Scope {
  const all = standingEntries(journal).map(({ fact }) => fact);
  const last = all.findLast((fact) => isOf(fact, nodeId));
  const first = last === undefined ? -1 : all.findIndex((fact) => isOf(fact, nodeId) && fact.frame === last.frame);
  const state = newRunState(plan);
  for (const fact of first === -1 ? all : all.slice(0, first)) applyFact(state, fact);
  return new RunScope(state, facts, last === undefined ? state.root : stepAt(state, last)?.frame);
}

type StepFact = Extract<Fact, { readonly nodeId: string }>;

function isOf(fact: Fact, nodeId: string | null): fact is StepFact {
  return 'nodeId' in fact && fact.nodeId === nodeId;
}
