import { type Collaborator, collaboratorRoles, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { listOf, named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const role = z
  .enum(collaboratorRoles)
  .describe(
    '`editor`: may read and change the workflow and its executions; `viewer`: may read them. Both may call its webhook.',
  );

/** A user with whom a workflow is shared. */
export const collaborator = named('Collaborator', z.object({ username: z.string(), role, created_at: timestamp }), {
  description: 'A user with whom a workflow is shared.',
  example: { username: 'operator', role: 'editor', created_at: '2026-01-31T12:00:00.000000' },
});
type CollaboratorBody = z.infer<typeof collaborator>;

export const collaboratorList = listOf('CollaboratorList', collaborator);

/** A user with whom to share a workflow. */
export const newCollaborator = named('NewCollaborator', z.object({ username: z.string().max(200), role }), {
  description: 'A user with whom to share a workflow.',
}).register(furtherKeys, { shown: fieldsOf(collaborator) });

/** What to change in a collaborator. */
export const collaboratorChanges = named('CollaboratorChanges', z.object({ role }), {
  description: 'Changes to a collaborator.',
}).register(furtherKeys, { shown: fieldsOf(collaborator) });

export function presentCollaborator({ username, role, createdAt }: Collaborator): CollaboratorBody {
  return { username, role, created_at: formatInstant(createdAt) };
}
