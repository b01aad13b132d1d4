import type { User } from '@millrace/core';
import { type AccessStore, maySee } from './access.ts';
import { invalidField } from './node-config.ts';
import type { NodeChanges } from './node-edits.ts';

/** The workflow that a node is to run, and the one that it runs. */
interface Subworkflow extends Pick<NodeChanges, 'subworkflowId'> {
  readonly stored?: number | null | undefined;
}

/**
 * Refuses a node that is to run a workflow which this user cannot see; what it runs already may be sent back as it is.
 * @throws Problem `invalid`
 */
export async function checkSubworkflow(
  store: AccessStore,
  user: User,
  { subworkflowId = null, stored = null }: Subworkflow,
): Promise<void> {
  if (subworkflowId === stored || subworkflowId === null || (await maySee(store, user, subworkflowId))) return;
  throw invalidField(['subworkflow_id'], 'is not a workflow that you can see');
}
