import { type Collaborator, type CollaboratorRole, formatInstant, parseInstant } from '@millrace/core';
import type { CollaboratorStore } from '../../collaborators.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';

interface CollaboratorRow {
  readonly user_id: number;
  readonly username: string;
  readonly role: CollaboratorRole;
  readonly created_at: string;
}

interface Member {
  readonly workflowId: number;
  readonly userId: number;
}

/** The SQLite store of collaborators. */
export function collaboratorStore(connection: Connection, writer: Writer): CollaboratorStore {
  const sql = statements(connection);

  function changed({ workflowId, userId }: Member, effects: Effects): Collaborator | null {
    effects.accessChanges.push({ kind: 'member', workflowId, userId });
    const row = sql.find.get(workflowId, userId);
    return row === undefined ? null : toCollaborator(row);
  }

  return {
    listOf: (workflowId) => connection.read(() => sql.listOf.all(workflowId).map(toCollaborator)),
    roleOf: ({ workflowId, userId }) => connection.read(() => sql.roleOf.get(workflowId, userId)?.role ?? null),
    insert: ({ role, at, ...member }) =>
      writer.submit((effects) => {
        const { changes } = sql.insert.run(member.workflowId, member.userId, role, formatInstant(at));
        return changes === 0 ? null : changed(member, effects);
      }),
    update: ({ role, ...member }) =>
      writer.submit((effects) => {
        const { changes } = sql.update.run(role, member.workflowId, member.userId);
        return changes === 0 ? null : changed(member, effects);
      }),
    remove: (member) =>
      writer.submit((effects) => {
        if (sql.remove.run(member.workflowId, member.userId).changes === 0) return false;
        changed(member, effects);
        return true;
      }),
  };
}

function statements(connection: Connection) {
  const selected = `SELECT c.user_id, u.username, c.role, c.created_at
    FROM collaborators c JOIN users u ON u.id = c.user_id WHERE c.workflow_id = ?`;
  return {
    listOf: connection.prepare<[number], CollaboratorRow>(`${selected} ORDER BY c.created_at, c.user_id`),
    find: connection.prepare<[number, number], CollaboratorRow>(`${selected} AND c.user_id = ?`),
    roleOf: connection.prepare<[number, number], { role: CollaboratorRole }>(
      'SELECT role FROM collaborators WHERE workflow_id = ? AND user_id = ?',
    ),
    insert: connection.prepare<[number, number, CollaboratorRole, string]>(
      `INSERT INTO collaborators (workflow_id, user_id, role, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    update: connection.prepare<[CollaboratorRole, number, number]>(
      'UPDATE collaborators SET role = ? WHERE workflow_id = ? AND user_id = ?',
    ),
    remove: connection.prepare<[number, number]>('DELETE FROM collaborators WHERE workflow_id = ? AND user_id = ?'),
  };
}

function toCollaborator(row: CollaboratorRow): Collaborator {
  return { userId: row.user_id, username: row.username, role: row.role, createdAt: parseInstant(row.created_at) };
}
