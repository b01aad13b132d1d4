import { formatInstant, type Instant, parseInstant, type User } from '@millrace/core';
import type { UserChanges, UserStore } from '../../accounts.ts';
import { type Bit, toBit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import { prepareLongRemoval, prepareUserRemoval, type RemoveFacts } from './user-removal.ts';

/** The columns that `toUser` reads. */
export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly is_admin: Bit;
  readonly created_at: string;
}

/** Converts a row to a user. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    isAdmin: row.is_admin === 1,
    createdAt: parseInstant(row.created_at),
  };
}

const columns = 'id, username, is_admin, created_at';

/** The SQLite store of users. */
export function userStore(connection: Connection, writer: Writer, removeFacts: RemoveFacts): UserStore {
  const sql = statements(connection);
  const removeUser = prepareUserRemoval(connection);
  const longRemoval = prepareLongRemoval(connection, writer, removeFacts);
  const found = (row: UserRow | undefined): User | null => (row === undefined ? null : toUser(row));

  /** The only admin cannot lose that role. */
  function isLastAdmin(row: UserRow): boolean {
    return row.is_admin === 1 && sql.admins.all().length === 1;
  }

  /** Why a user cannot be removed. */
  function keptBecause(id: number): 'missing' | 'last_admin' | null {
    const row = sql.byId.get(id);
    if (row === undefined) return 'missing';
    return isLastAdmin(row) ? 'last_admin' : null;
  }

  return {
    count: () => connection.read(() => sql.count.get()?.n ?? 0),
    byId: (id) => connection.read(() => found(sql.byId.get(id))),
    byUsername: (username) => connection.read(() => found(sql.byUsername.get(username))),
    admins: () => connection.read(() => sql.admins.all().map(toUser)),
    list: ({ limit, offset }) =>
      connection.read(() => ({ items: sql.list.all(limit, offset).map(toUser), total: sql.count.get()?.n ?? 0 })),
    passwordOf: (username) =>
      connection.read(() => {
        const row = sql.passwordOf.get(username);
        return row === undefined ? null : { user: toUser(row), hash: row.password_hash };
      }),
    insert: ({ username, isAdmin, passwordHash = null, at }) =>
      writer.submit(() => found(sql.insert.get(username, toBit(isAdmin), passwordHash, formatInstant(at)))),
    update: ({ id, changes, at }) =>
      writer.submit((effects) => {
        const row = sql.byId.get(id);
        if (row === undefined) return 'missing';
        if (changes.isAdmin === false && isLastAdmin(row)) return 'last_admin';
        return toUser(change(sql, { row, changes, at }, effects));
      }),
    async remove({ id, heirId, at }) {
      const reason = keptBecause(id);
      if (reason !== null) return reason;
      // First, because no row shows later that chats of a deleted user are left; and again for those that came since.
      await longRemoval.forgetChats(id);
      const outcome = await writer.submit((effects) => {
        const kept = keptBecause(id);
        if (kept !== null) return kept;
        removeUser({ id, heirId, at }, effects);
        return 'removed';
      });
      if (outcome !== 'removed') return outcome;
      await longRemoval.forgetChats(id);
      await longRemoval.giveRuns(id);
      await longRemoval.forgetFacts(id);
      return outcome;
    },
    finishRemovals: () => longRemoval.finish(),
  };
}

type Statements = ReturnType<typeof statements>;

function statements(connection: Connection) {
  const live = `SELECT ${columns} FROM users WHERE deleted_at IS NULL`;
  return {
    count: connection.prepare<[], { n: number }>('SELECT count(*) AS n FROM users WHERE deleted_at IS NULL'),
    byId: connection.prepare<[number], UserRow>(`${live} AND id = ?`),
    // Case-insensitive, because names are unique regardless of case.
    byUsername: connection.prepare<[string], UserRow>(`${live} AND username = ? COLLATE NOCASE`),
    admins: connection.prepare<[], UserRow>(`${live} AND is_admin = 1 ORDER BY id`),
    list: connection.prepare<[number, number], UserRow>(`${live} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`),
    passwordOf: connection.prepare<[string], UserRow & { readonly password_hash: string | null }>(
      `SELECT ${columns}, password_hash FROM users WHERE deleted_at IS NULL AND username = ? COLLATE NOCASE`,
    ),
    insert: connection.prepare<[string, Bit, string | null, string], UserRow>(
      `INSERT INTO users (username, is_admin, password_hash, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING ${columns}`,
    ),
    setAdmin: connection.prepare<[Bit, number], UserRow>(
      `UPDATE users SET is_admin = ? WHERE id = ? RETURNING ${columns}`,
    ),
    setPassword: connection.prepare<[string, number]>('UPDATE users SET password_hash = ? WHERE id = ?'),
    endLogins: connection.prepare<[string, number], { id: number }>(
      `UPDATE api_keys SET revoked_at = ?
       WHERE user_id = ? AND (by_login = 1 OR from_password = 1) AND revoked_at IS NULL RETURNING id`,
    ),
  };
}

interface Change {
  readonly row: UserRow;
  readonly changes: UserChanges;
  readonly at: Instant;
}

function change(sql: Statements, { row, changes, at }: Change, effects: Effects): UserRow {
  effects.accessChanges.push({ kind: 'user', userId: row.id });
  if (changes.passwordHash !== undefined) {
    sql.setPassword.run(changes.passwordHash, row.id);
    for (const { id: keyId } of sql.endLogins.all(formatInstant(at), row.id)) {
      effects.accessChanges.push({ kind: 'key', keyId });
    }
  }
  if (changes.isAdmin === undefined) return row;
  return sql.setAdmin.get(toBit(changes.isAdmin), row.id) ?? row;
}
