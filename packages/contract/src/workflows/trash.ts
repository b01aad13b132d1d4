import { formatInstant, type Workflow } from '@millrace/core';
import { z } from 'zod';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { presentWorkflow, workflow, workflowChanges } from './workflow.ts';

/** A workflow that was deleted and can be restored. */
const trashedWorkflow = z
  .object({ ...workflow.shape, deleted_at: timestamp })
  .register(z.globalRegistry, { id: 'TrashedWorkflow', description: 'A workflow in the trash.' });

export const trashList = pageOf(trashedWorkflow);

/** How to restore a workflow. */
export const trashRestoreRequest = workflowChanges
  .pick({ slug: true })
  .describe('Another slug, where the old one is taken by now.');

/** A workflow in the trash as the API shows it. */
export function presentTrashed(trashed: Workflow & { readonly deletedAt: number }): z.infer<typeof trashedWorkflow> {
  return { ...presentWorkflow(trashed), deleted_at: formatInstant(trashed.deletedAt) };
}
