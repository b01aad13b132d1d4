import { type Catalogue, type Execution, type Plan, Problem, planningRun } from '@millrace/core';
import type { Turns } from '../../ground/turns.ts';
import type { Store } from '../../store/store.ts';

interface RunPlanPorts {
  readonly store: Pick<Store, 'graphs'>;
  readonly catalogue: Catalogue;
  readonly turns: Pick<Turns, 'finish'>;
}

type StoredRun = Pick<Execution, 'workflowId' | 'workflowVersion' | 'triggerNodeId' | 'toNodeId'>;

/** The plan that a stored run follows. @throws Problem `invalid` if its version is not stored or can no longer run */
export async function planOfRun({ store, catalogue, turns }: RunPlanPorts, run: StoredRun): Promise<Plan> {
  const { workflowId, workflowVersion: version, triggerNodeId, toNodeId } = run;
  const graph = await store.graphs.pinned({ workflowId, version });
  if (graph === null) throw new Problem('invalid', `Version ${version} of the workflow is not stored.`);
  return turns.finish(planningRun({ graph, catalogue, triggerNodeId, toNodeId }));
}

/** The same for displaying a run: null if its version can no longer run or is damaged. */
export async function planOfShownRun(ports: RunPlanPorts, run: StoredRun): Promise<Plan | null> {
  try {
    return await planOfRun(ports, run);
  } catch (error) {
    if (error instanceof Problem && (error.kind === 'invalid' || error.code === 'data_damaged')) return null;
    throw error;
  }
}
