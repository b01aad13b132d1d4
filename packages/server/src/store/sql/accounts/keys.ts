import { type ApiKey, formatInstant, type KeyScope, parseInstant } from '@millrace/core';
import type { KeyOfUser, KeyStore, NewApiKey } from '../../accounts.ts';
import { type Bit, expectRow, formatInstantOrNull, parseInstantOrNull, toBit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import { prepareKeyOrigins } from './key-origins.ts';
import { toUser, type UserRow } from './users.ts';

interface KeyRow {
  readonly id: number;
  readonly user_id: number;
  readonly name: string;
  readonly prefix: string;
  readonly scope: KeyScope;
  readonly by_login: Bit;
  readonly issued_by: number | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** Sessions of one user. A script that logs in for each request would otherwise fill the list of keys. */
const maxLogins = 100;

/** A key joined with its user; columns that both tables have are renamed. */
type KeyAndUserRow = KeyRow & Omit<UserRow, 'id' | 'created_at'> & { readonly user_created_at: string };

/** The SQLite store of API keys. */
export function keyStore(connection: Connection, writer: Writer): KeyStore {
  const insert = connection.prepare<InsertParams, KeyRow>(insertKey);
  // Runs on every request: one lookup in the unique index on `hash`, one by the users' primary key.
  const byHash = connection.prepare<[string], KeyAndUserRow>(findByHash);
  const listOf = connection.prepare<[number], KeyRow>(
    `SELECT ${columns} FROM api_keys WHERE user_id = ? AND revoked_at IS NULL ORDER BY id DESC`,
  );
  const end = connection.prepare<[string, number, number]>(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL',
  );
  const touch = connection.prepare<[string, number]>('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  const renew = connection.prepare<[{ id: number; expiresAt: string }], KeyRow>(renewKey);
  const wasRevoked = connection.prepare<[string]>('SELECT 1 FROM api_keys WHERE hash = ? AND revoked_at IS NOT NULL');
  const hasLogin = connection.prepare<[], { found: Bit }>(
    'SELECT EXISTS (SELECT 1 FROM api_keys WHERE by_login = 1) AS found',
  );
  const origins = prepareKeyOrigins(connection);
  const ownKeys = connection
    .prepare<[number], number>(
      'SELECT count(*) FROM api_keys WHERE user_id = ? AND revoked_at IS NULL AND by_login = 0',
    )
    .pluck();
  const oldLogins = connection
    .prepare<[number, number], number>(
      `SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY issued_by ORDER BY id DESC) AS place
         FROM api_keys WHERE user_id = ? AND revoked_at IS NULL AND by_login = 1)
       ORDER BY place, id DESC LIMIT -1 OFFSET ?`,
    )
    .pluck();
  // Of the logins with the same key, or with the password, whichever are most: who has found a key cannot log out its user.
  const endOldLogins = ({ userId, at }: NewApiKey, effects: Effects): void => {
    // A login each day would otherwise add a row each day to the list that people read.
    origins.deleteExpiredLogins({ userId, at });
    for (const id of oldLogins.all(userId, maxLogins - 1)) endOne({ userId, id, at }, effects);
  };
  const endOne = ({ userId, id, at }: KeyOfUser, effects: Effects): void => {
    if (end.run(formatInstant(at), id, userId).changes === 1) effects.accessChanges.push({ kind: 'key', keyId: id });
  };
  const add = (key: NewApiKey, effects: Effects): ApiKey => {
    if (key.byLogin === true) endOldLogins(key, effects);
    return toKey(expectRow(insert.get(...insertParams(key))));
  };
  return {
    insert: (key) => writer.submit((effects) => add(key, effects)),
    issue: ({ most, ...key }) =>
      writer.submit((effects) => {
        const { issuedBy = null } = key;
        const origin = issuedBy === null ? null : origins.open(issuedBy);
        if (issuedBy !== null && origin === null) return 'ended';
        if (key.byLogin !== true && (ownKeys.get(key.userId) ?? 0) >= most) return 'full';
        return add({ ...key, isFromPassword: key.isFromPassword ?? origin?.isFromPassword ?? false }, effects);
      }),
    hasLogin: () => connection.read(() => hasLogin.get()?.found === 1),
    wasRevoked: (hash) => connection.read(() => wasRevoked.get(hash) !== undefined),
    byHash: (hash) =>
      connection.read(() => {
        const row = byHash.get(hash);
        if (row === undefined) return null;
        return { key: toKey(row), user: toUser({ ...row, id: row.user_id, created_at: row.user_created_at }) };
      }),
    listOf: (userId) => connection.read(() => listOf.all(userId).map(toKey)),
    revoke: (key) => writer.submit((effects) => origins.revoke(key, effects)),
    revokeAll: (params) => writer.submit((effects) => origins.revokeAll(params, effects)),
    end: (key) => writer.submit((effects) => endOne(key, effects)),
    renew: ({ id, expiresAt }) =>
      writer.submit((effects) => {
        const row = renew.get({ id, expiresAt: formatInstant(expiresAt) });
        if (row === undefined) return null;
        // Open WebSockets and cached keys contain the old expiry.
        effects.accessChanges.push({ kind: 'user', userId: row.user_id });
        return toKey(row);
      }),
    touch: ({ id, at }) => writer.submit(() => void touch.run(formatInstant(at), id)),
  };
}

const columns = 'id, user_id, name, prefix, scope, by_login, issued_by, created_at, expires_at, last_used_at';

const insertKey = `
  INSERT INTO api_keys
    (user_id, name, hash, prefix, scope, created_at, expires_at, renewable_until, by_login, from_password, issued_by)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`;

// All times have the same format, so texts compare like times.
const renewKey = `
  UPDATE api_keys SET expires_at = min(@expiresAt, renewable_until)
  WHERE id = @id AND revoked_at IS NULL AND expires_at < min(@expiresAt, renewable_until)
  RETURNING ${columns}`;

const findByHash = `
  SELECT k.id, k.user_id, k.name, k.prefix, k.scope, k.by_login, k.issued_by, k.created_at, k.expires_at, k.last_used_at,
    u.username, u.is_admin, u.created_at AS user_created_at
  FROM api_keys k JOIN users u ON u.id = k.user_id
  WHERE k.hash = ? AND k.revoked_at IS NULL AND u.deleted_at IS NULL`;

type InsertParams = [
  ...[userId: number, name: string, hash: string, prefix: string, scope: KeyScope],
  ...[at: string, expiresAt: string | null, renewableUntil: string | null],
  ...[byLogin: Bit, isFromPassword: Bit, issuedBy: number | null],
];

function insertParams(key: NewApiKey): InsertParams {
  const { userId, name, hash, prefix, scope, at, expiresAt, renewableUntil = null, issuedBy = null } = key;
  return [
    ...([userId, name, hash, prefix, scope] as const),
    ...([formatInstant(at), formatInstantOrNull(expiresAt), formatInstantOrNull(renewableUntil)] as const),
    ...([toBit(key.byLogin === true), toBit(key.isFromPassword === true), issuedBy] as const),
  ];
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    prefix: row.prefix,
    scope: row.scope,
    byLogin: row.by_login === 1,
    issuedBy: row.issued_by,
    createdAt: parseInstant(row.created_at),
    expiresAt: parseInstantOrNull(row.expires_at),
    lastUsedAt: parseInstantOrNull(row.last_used_at),
  };
}
