import { type Collaborator, collaboratorRoles, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const role = z
  .enum(collaboratorRoles)
  .describe('`editor`: reads and changes the workflow and its executions; `viewer`: reads them. Both run its webhook.');

/** Somebody with whom a workflow is shared. */
export const collaborator = z
  .object({ username: z.string(), role, created_at: timestamp })
  .register(z.globalRegistry, { id: 'Collaborator', description: 'Somebody with whom a workflow is shared.' });
type CollaboratorBody = z.infer<typeof collaborator>;

export const collaboratorList = z.array(collaborator);

/** Somebody with whom to share a workflow. */
export const newCollaborator = z
  .object({ username: z.string().max(200), role })
  .register(furtherKeys, { shown: fieldsOf(collaborator) });

/** What to change in a collaborator. */
export const collaboratorChanges = z.object({ role }).register(furtherKeys, { shown: fieldsOf(collaborator) });

export function presentCollaborator({ username, role, createdAt }: Collaborator): CollaboratorBody {
  return { username, role, created_at: formatInstant(createdAt) };
}
