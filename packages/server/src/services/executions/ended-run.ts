import { Problem, type Workflow } from '@millrace/core';
import type { ExecutionDetail } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';

/** The run with its journal. @throws Problem `not_found` if it was deleted meanwhile */
export async function loadRun({ executions }: Pick<Store, 'executions'>, id: string): Promise<ExecutionDetail> {
  const detail = await executions.detail(id);
  if (detail === null) throw new Problem('not_found', 'Execution not found.');
  return detail;
}

/** The workflow of a run to retry or to replay. @throws Problem `conflict` if it is in the trash */
export async function expectLive({ workflows }: Pick<Store, 'workflows'>, workflowId: number): Promise<Workflow> {
  const workflow = await workflows.byId(workflowId);
  if (workflow !== null) return workflow;
  throw conflict('The workflow of this execution was deleted: restore it from the trash first.');
}

/** The error if the stored state does not allow the action. */
export function conflict(message: string): Problem {
  return new Problem('conflict', message);
}
