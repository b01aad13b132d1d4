import { applyFact, type Catalogue, isEnded, isToCome, newRunState, standingEntries } from '@millrace/core';
import type { Store } from '../../store/store.ts';
import { planOfShownRun } from './run-plan.ts';
import type { LinkedStep } from './wait-links.ts';

interface ComingStepsPorts {
  readonly store: Pick<Store, 'executions' | 'graphs' | 'waits'>;
  readonly catalogue: Catalogue;
}

/** Whether a step of a run has no wait yet, and may still come to one: its journal says what has been given up. */
export async function isStepToCome(ports: ComingStepsPorts, step: LinkedStep): Promise<boolean> {
  const { executionId, frame, nodeId } = step;
  const { waits, executions } = ports.store;
  if ((await waits.find({ executionId, frame, nodeId, stage: 'step' })) !== null) return false;
  const run = await executions.detail(executionId);
  const plan = run === null || isEnded(run.status) ? null : await planOfShownRun(ports, run);
  if (run === null || plan === null) return false;
  const state = newRunState(plan);
  for (const { fact } of standingEntries(run.journal)) applyFact(state, fact);
  return isToCome(state, step);
}
