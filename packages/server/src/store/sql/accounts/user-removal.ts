import { formatInstant, type Instant } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';

interface Removal {
  readonly id: number;
  readonly heirId: number;
  readonly at: Instant;
}

/**
 * Deletes a user with their keys and the sharing with them. Their workflows, including deleted ones, go to the heir.
 * Nothing that runs is stopped. `prepareLongRemoval` does the rest.
 */
export function prepareUserRemoval(connection: Connection): (removal: Removal, effects: Effects) => void {
  const hide = connection.prepare<[string, string, number]>(
    'UPDATE users SET deleted_at = ?, username = ?, password_hash = NULL, is_admin = 0 WHERE id = ?',
  );
  const revokeKeys = connection.prepare<[string, number], { id: number }>(
    'UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id',
  );
  const leaveAll = connection.prepare<[number]>('DELETE FROM collaborators WHERE user_id = ?');
  const giveWorkflows = prepareInheritance(connection);
  return ({ id, heirId, at }, effects) => {
    giveWorkflows({ id, heirId }, effects);
    leaveAll.run(id);
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
  // At once, although the runs follow later: a change of their status is counted for the owner of their workflow.
  const addRunCounts = connection.prepare<[number, number]>(
    `INSERT INTO execution_counts (owner_id, workflow_id, status, n)
     SELECT ?, workflow_id, status, n FROM execution_counts WHERE owner_id = ?
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  const endRunCounts = connection.prepare<[number]>('DELETE FROM execution_counts WHERE owner_id = ?');
  const giveValues = prepareSharedValues(connection);
  return ({ id, heirId }: { readonly id: number; readonly heirId: number }, effects: Effects): void => {
    giveValues({ id, heirId });
    endSharing.run(heirId, id);
    for (const { id: workflowId } of workflows.all(heirId, id)) {
      effects.changeWorkflow(workflowId, null);
      effects.accessChanges.push({ kind: 'workflow', workflowId });
    }
    addCount.run(id, heirId);
    endCount.run(id);
    addRunCounts.run(heirId, id);
    endRunCounts.run(id);
  };
}

/**
 * Gives what the workflows of a user share (state, facts, people) to the heir, at once: the workflows go on with it. Where
 * the heir has the same already, that stays, and the other is deleted: facts later, because they may be many.
 */
function prepareSharedValues(connection: Connection) {
  const shared = 'workflow_id = 0 AND owner_id = ?';
  const tables = [
    ['state_values', shared],
    ['memory_spaces', shared],
    ['memory_identities', 'owner_id = ?'],
    ['memory_people', 'owner_id = ?'],
  ] as const;
  const statements = tables.map(([table, ofOwner]) => ({
    isDeletedLater: table === 'memory_spaces',
    give: connection.prepare<[number, number]>(`UPDATE OR IGNORE ${table} SET owner_id = ? WHERE ${ofOwner}`),
    removeRest: connection.prepare<[number]>(`DELETE FROM ${table} WHERE ${ofOwner}`),
  }));
  return ({ id, heirId }: { readonly id: number; readonly heirId: number }): void => {
    for (const { give, removeRest, isDeletedLater } of statements) {
      give.run(heirId, id);
      if (!isDeletedLater) removeRest.run(id);
    }
  };
}

/** Runs handed over in one transaction: it takes some 10 ms, during which no request is answered. */
const runsAtOnce = 500;
/** Turns of chats deleted in one transaction; each has up to 130,000 characters. */
const turnsAtOnce = 100;

/** The parts of a removal that take many transactions. */
interface LongRemoval {
  /** Deletes the chats of a user: they belong to the user, not to the workflow. */
  forgetChats(userId: number): Promise<void>;
  /** Gives the runs of a deleted user to the present owners of their workflows. */
  giveRuns(userId: number): Promise<void>;
  /** Deletes the facts of a deleted user that the heir did not get. */
  forgetFacts(userId: number): Promise<void>;
  /** Completes the removal of users whose removal was interrupted. */
  finish(): Promise<void>;
}

/** Deletes some facts of a space, in a transaction that is under way. Returns whether there may be more. */
export type RemoveFacts = (spaceId: number) => boolean;

/** Prepares the parts of a removal that take many short transactions. */
export function prepareLongRemoval(connection: Connection, writer: Writer, removeFacts: RemoveFacts): LongRemoval {
  const giveSome = connection.prepare<[number, number]>(
    `UPDATE executions SET owner_id = (SELECT w.owner_id FROM workflows w WHERE w.id = workflow_id)
     WHERE id IN (SELECT id FROM executions INDEXED BY executions_of_owner WHERE owner_id = ? LIMIT ?)`,
  );
  const unfinished = connection
    .prepare<[], number>(
      `SELECT id FROM users u WHERE deleted_at IS NOT NULL
         AND (EXISTS (SELECT 1 FROM executions e INDEXED BY executions_of_owner WHERE e.owner_id = u.id)
           OR EXISTS (SELECT 1 FROM memory_spaces s WHERE s.workflow_id = 0 AND s.owner_id = u.id))`,
    )
    .pluck();
  // Both read the index of chats, which begins with the workflow.
  const nextWorkflow = connection
    .prepare<[number], number | null>('SELECT min(workflow_id) FROM chat_turns WHERE workflow_id > ?')
    .pluck();
  const forgetSome = connection.prepare<[number, number, number]>(
    `DELETE FROM chat_turns WHERE id IN (
       SELECT id FROM chat_turns INDEXED BY chat_turns_by_user WHERE workflow_id = ? AND user_id = ? LIMIT ?)`,
  );
  const giveRuns = async (userId: number): Promise<void> => {
    while ((await writer.submit(() => giveSome.run(userId, runsAtOnce).changes)) === runsAtOnce);
  };
  const forgetFacts = prepareForgetFacts(connection, writer, removeFacts);
  return {
    giveRuns,
    forgetFacts,
    async forgetChats(userId) {
      let next = nextWorkflow.get(0) ?? null;
      while (next !== null) {
        const workflowId = next;
        const forget = () => writer.submit(() => forgetSome.run(workflowId, userId, turnsAtOnce).changes);
        while ((await forget()) === turnsAtOnce);
        next = nextWorkflow.get(workflowId) ?? null;
      }
    },
    async finish() {
      for (const userId of unfinished.all()) {
        await giveRuns(userId);
        await forgetFacts(userId);
      }
    },
  };
}

function prepareForgetFacts(
  connection: Connection,
  writer: Writer,
  removeFacts: RemoveFacts,
): LongRemoval['forgetFacts'] {
  const nextSpace = connection.prepare<[number], { id: number }>(
    'SELECT id FROM memory_spaces WHERE workflow_id = 0 AND owner_id = ? LIMIT 1',
  );
  const removeSpace = connection.prepare<[number]>('DELETE FROM memory_spaces WHERE id = ?');
  const forgetSome = (userId: number): boolean => {
    const space = nextSpace.get(userId);
    if (space === undefined) return false;
    if (!removeFacts(space.id)) removeSpace.run(space.id);
    return true;
  };
  return async (userId) => {
    while (await writer.submit(() => forgetSome(userId)));
  };
}
