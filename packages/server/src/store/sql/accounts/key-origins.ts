import { formatInstant, type Instant } from '@millrace/core';
import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

interface Origin {
  readonly from_password: Bit;
  readonly revoked_at: string | null;
}

interface OfUser {
  readonly userId: number;
  readonly at: Instant;
}

/** Follows the keys that were created with a key. All of it runs inside a write. */
export interface KeyOrigins {
  /** The key with which another one is to be created: null if it was revoked. */
  open(id: number): { readonly isFromPassword: boolean } | null;
  /** Revokes a key and everything that was created with it. False if this user has no such unrevoked key. */
  revoke(params: OfUser & { readonly id: number }, effects: Effects): boolean;
  /** Revokes all keys of a user. */
  revokeAll(params: OfUser, effects: Effects): void;
  /** Deletes expired logins. What was created with one counts as created with the key that opened it. */
  deleteExpiredLogins(params: OfUser): void;
}

export function prepareKeyOrigins(connection: Connection): KeyOrigins {
  const origin = connection.prepare<[number], Origin>('SELECT from_password, revoked_at FROM api_keys WHERE id = ?');
  const revokeLine = connection.prepare<[{ id: number; userId: number; at: string }], { readonly id: number }>(line);
  const revokeAll = connection.prepare<[string, number], { readonly id: number }>(
    'UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id',
  );
  const expired = connection
    .prepare<[number, string], number>(
      'SELECT id FROM api_keys WHERE user_id = ? AND by_login = 1 AND expires_at <= ? ORDER BY id DESC',
    )
    .pluck();
  const passOn = connection.prepare<[{ id: number }]>(
    'UPDATE api_keys SET issued_by = (SELECT issued_by FROM api_keys WHERE id = @id) WHERE issued_by = @id',
  );
  const remove = connection.prepare<[number]>('DELETE FROM api_keys WHERE id = ?');
  const report = (revoked: readonly { readonly id: number }[], effects: Effects): boolean => {
    for (const { id: keyId } of revoked) effects.accessChanges.push({ kind: 'key', keyId });
    return revoked.length > 0;
  };
  return {
    open(id) {
      const found = origin.get(id);
      if (found === undefined || found.revoked_at !== null) return null;
      return { isFromPassword: found.from_password === 1 };
    },
    revoke: ({ id, userId, at }, effects) => report(revokeLine.all({ id, userId, at: formatInstant(at) }), effects),
    revokeAll: ({ userId, at }, effects) => void report(revokeAll.all(formatInstant(at), userId), effects),
    deleteExpiredLogins({ userId, at }) {
      // A key is younger than the one that created it, so the youngest come first.
      for (const id of expired.all(userId, formatInstant(at))) {
        passOn.run({ id });
        remove.run(id);
      }
    },
  };
}

// Follows revoked keys, too: a session that was closed may have created a key that still exists.
const line = `
  WITH RECURSIVE line (id) AS (
    SELECT id FROM api_keys WHERE id = @id AND user_id = @userId AND revoked_at IS NULL
    UNION ALL
    SELECT k.id FROM line JOIN api_keys k ON k.issued_by = line.id
  )
  UPDATE api_keys SET revoked_at = @at WHERE id IN (SELECT id FROM line) AND revoked_at IS NULL RETURNING id`;
