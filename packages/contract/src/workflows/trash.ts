import { formatInstant, type Workflow } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { presentWorkflow, workflow, workflowChanges, workflowExample } from './workflow.ts';

/** A deleted workflow that can be restored. */
const trashedWorkflow = named('TrashedWorkflow', z.object({ ...workflow.shape, deleted_at: timestamp }), {
  description: 'A workflow in the trash.',
  example: { ...workflowExample, deleted_at: '2026-02-01T08:00:00.000000' },
});

export const trashList = pageOf('TrashList', trashedWorkflow);

/** How to restore a workflow. */
export const trashRestoreRequest = named('TrashRestoreRequest', workflowChanges.pick({ slug: true }), {
  description: 'How to restore a workflow: with another slug, if another workflow uses the old one.',
});

/** A workflow in the trash as the API shows it. */
export function presentTrashed(trashed: Workflow & { readonly deletedAt: number }): z.infer<typeof trashedWorkflow> {
  return { ...presentWorkflow(trashed), deleted_at: formatInstant(trashed.deletedAt) };
}
