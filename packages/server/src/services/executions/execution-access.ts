import { Problem, type User } from '@millrace/core';
import type { OwnedExecution } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import { isMember, mayWrite, readOnly, type Standing, standingOf } from '../access/access.ts';

/** The parts of the store that decisions about access to executions read. */
export type ExecutionAccessStore = Pick<Store, 'executions' | 'workflows' | 'collaborators'>;

const executionId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True if a text has the form of an execution's id. */
export function isExecutionId(text: string): boolean {
  return executionId.test(text);
}

/** The rejection of an id that is unknown to the user. */
export function executionNotFound(): Problem {
  return new Problem('not_found', 'Execution not found.');
}

/** The user's standing in the run's workflow. Only members may see payloads, also if the workflow is public. */
async function standingTo(store: ExecutionAccessStore, user: Pick<User, 'id'>, run: OwnedExecution): Promise<Standing> {
  // Checked first: the owner still sees the history of a deleted workflow, and needs no further read.
  if (run.ownerId === user.id) return 'owner';
  const workflow = await store.workflows.byId(run.workflowId);
  const standing = workflow === null ? null : await standingOf(store, user, workflow);
  if (standing === null || !isMember(standing)) throw executionNotFound();
  return standing;
}

/**
 * An execution that this user may see, with their standing.
 * @throws Problem `not_found`, the same for missing and foreign
 */
export async function loadExecution(
  store: ExecutionAccessStore,
  user: Pick<User, 'id'>,
  id: string,
): Promise<{ readonly execution: OwnedExecution; readonly standing: Standing }> {
  const execution = isExecutionId(id) ? await store.executions.byId(id) : null;
  if (execution === null) throw executionNotFound();
  return { execution, standing: await standingTo(store, user, execution) };
}

/** An execution that this user may control. @throws Problem `not_found`, or `read_only` for a reader */
export async function loadSteerable(
  store: ExecutionAccessStore,
  user: Pick<User, 'id'>,
  id: string,
): Promise<OwnedExecution> {
  const { execution, standing } = await loadExecution(store, user, id);
  if (!mayWrite(standing)) throw readOnly();
  return execution;
}
