import {
  applyFact,
  type Catalogue,
  isEnded,
  isToCome,
  newRunState,
  type Plan,
  Problem,
  planRun,
  standingEntries,
} from '@millrace/core';
import type { ExecutionDetail } from '../store/executions.ts';
import type { Store } from '../store/store.ts';
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
  const plan = run === null || isEnded(run.status) ? null : await planOf(ports, run);
  if (run === null || plan === null) return false;
  const state = newRunState(plan);
  for (const { fact } of standingEntries(run.journal)) applyFact(state, fact);
  return isToCome(state, step);
}

/** Null of a run that cannot go on, since its version is not stored, or cannot run any more. */
async function planOf({ store, catalogue }: ComingStepsPorts, run: ExecutionDetail): Promise<Plan | null> {
  const { workflowId, workflowVersion: version, triggerNodeId } = run;
  const graph = await store.graphs.pinned({ workflowId, version });
  if (graph === null) return null;
  try {
    return planRun({ graph, catalogue, triggerNodeId });
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
