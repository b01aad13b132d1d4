import type { User } from '@millrace/core';
import { type AccessStore, maySee } from './access.ts';
import { invalidField } from './node-config.ts';
import type { NodeChanges } from './node-edits.ts';

/** Refuses a node that runs a workflow which this user cannot see. @throws Problem `invalid` */
export async function checkSubworkflow(
  store: AccessStore,
  user: User,
  { subworkflowId = null }: Pick<NodeChanges, 'subworkflowId'>,
): Promise<void> {
  if (subworkflowId === null || (await maySee(store, user, subworkflowId))) return;
  throw invalidField(['subworkflow_id'], 'is not a workflow that you can see');
}
