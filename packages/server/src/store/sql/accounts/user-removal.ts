import { formatInstant, type Instant } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

interface Removal {
  readonly id: number;
  readonly heirId: number;
  readonly at: Instant;
}

/**
 * Deletes a user with their keys and the sharing with them. Their workflows, including deleted ones, and all runs of
 * these go to the heir. Nothing that runs is stopped. A long history makes this a long transaction: about a second for
 * 200,000 runs.
 */
export function prepareUserRemoval(connection: Connection): (removal: Removal, effects: Effects) => void {
  const hide = connection.prepare<[string, string, number]>(
    'UPDATE users SET deleted_at = ?, username = ?, password_hash = NULL, is_admin = 0 WHERE id = ?',
  );
  const revokeKeys = connection.prepare<[string, number], { id: number }>(
    'UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id',
  );
  const leaveAll = connection.prepare<[number]>('DELETE FROM collaborators WHERE user_id = ?');
  // Chats belong to the user, not to the workflow, so they are deleted. This is rare, so there is no index for it.
  const forgetChats = connection.prepare<[number]>('DELETE FROM chat_turns WHERE user_id = ?');
  const giveWorkflows = prepareInheritance(connection);
  return ({ id, heirId, at }, effects) => {
    giveWorkflows({ id, heirId }, effects);
    leaveAll.run(id);
    forgetChats.run(id);
    for (const { id: keyId } of revokeKeys.all(formatInstant(at), id))
      effects.accessChanges.push({ kind: 'key', keyId });
    // No user name contains this character, so the name becomes free.
    hide.run(formatInstant(at), `#${id}`, id);
    effects.accessChanges.push({ kind: 'user', userId: id });
  };
}

function prepareInheritance(connection: Connection) {
  // The heir's own rows first: an owner is not a collaborator.
  const endSharing = connection.prepare<[number, number]>(
    'DELETE FROM collaborators WHERE user_id = ? AND workflow_id IN (SELECT id FROM workflows WHERE owner_id = ?)',
  );
  // The heir keeps their own default.
  const workflows = connection.prepare<[number, number], { id: number }>(
    'UPDATE workflows SET owner_id = ?, is_default = 0 WHERE owner_id = ? RETURNING id',
  );
  const addCount = connection.prepare<[number, number]>(
    'UPDATE users SET workflow_count = workflow_count + (SELECT workflow_count FROM users WHERE id = ?) WHERE id = ?',
  );
  const endCount = connection.prepare<[number]>('UPDATE users SET workflow_count = 0 WHERE id = ?');
  const runs = connection.prepare<[number, number]>('UPDATE executions SET owner_id = ? WHERE owner_id = ?');
  const addRunCounts = connection.prepare<[number, number]>(
    `INSERT INTO execution_counts (owner_id, workflow_id, status, n)
     SELECT ?, workflow_id, status, n FROM execution_counts WHERE owner_id = ?
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  const endRunCounts = connection.prepare<[number]>('DELETE FROM execution_counts WHERE owner_id = ?');
  return ({ id, heirId }: { readonly id: number; readonly heirId: number }, effects: Effects): void => {
    endSharing.run(heirId, id);
    for (const { id: workflowId } of workflows.all(heirId, id)) {
      effects.changeWorkflow(workflowId, null);
      effects.accessChanges.push({ kind: 'workflow', workflowId });
    }
    addCount.run(id, heirId);
    endCount.run(id);
    runs.run(heirId, id);
    addRunCounts.run(heirId, id);
    endRunCounts.run(id);
  };
}
