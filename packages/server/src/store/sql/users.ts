import { formatInstant, parseInstant, type User } from '@millrace/core';
import type { UserStore } from '../store.ts';
import { type Bit, toBit } from './columns.ts';
import type { Connection } from './connection.ts';
import type { Writer } from './writer.ts';

/** The columns that `toUser` reads. */
export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly is_admin: Bit;
  readonly created_at: string;
}

/** The user that a row stands for. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    isAdmin: row.is_admin === 1,
    createdAt: parseInstant(row.created_at),
  };
}

/** The users' verbs on SQLite. */
export function userStore(connection: Connection, writer: Writer): UserStore {
  const count = connection.prepare<[], { n: number }>('SELECT count(*) AS n FROM users');
  const byId = connection.prepare<[number], UserRow>(`SELECT ${columns} FROM users WHERE id = ?`);
  const byUsername = connection.prepare<[string], UserRow>(`SELECT ${columns} FROM users WHERE username = ?`);
  const insert = connection.prepare<[string, Bit, string], UserRow>(
    `INSERT INTO users (username, is_admin, created_at) VALUES (?, ?, ?)
     ON CONFLICT (username) DO NOTHING RETURNING ${columns}`,
  );
  const found = (row: UserRow | undefined): User | null => (row === undefined ? null : toUser(row));
  return {
    count: () => connection.read(() => count.get()?.n ?? 0),
    byId: (id) => connection.read(() => found(byId.get(id))),
    byUsername: (username) => connection.read(() => found(byUsername.get(username))),
    insert: ({ username, isAdmin, at }) =>
      writer.submit(() => found(insert.get(username, toBit(isAdmin), formatInstant(at)))),
  };
}

const columns = 'id, username, is_admin, created_at';
