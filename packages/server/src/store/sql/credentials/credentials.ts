import { formatInstant, instantAfter, parseInstant } from '@millrace/core';
import type { CredentialName, CredentialStore, CredentialUpdate, NewCredential } from '../../credentials.ts';
import { expectRow, storedInstant } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import {
  type CredentialRow,
  credentialColumns,
  type SealedRow,
  sealedColumns,
  toCredential,
  toSealed,
} from './credential-rows.ts';
import { prepareCredentialUses } from './credential-uses.ts';

interface CredentialParts {
  readonly connection: Connection;
  readonly writer: Writer;
}

/** The SQLite store of credentials. */
export function credentialStore(parts: CredentialParts): CredentialStore {
  const { connection, writer } = parts;
  const sql = statements(connection);
  const uses = prepareCredentialUses(connection);
  return {
    byId: (id) =>
      connection.read(() => {
        const row = sql.byId.get(id);
        return row === undefined ? null : toCredential(row);
      }),
    sealedById: (id) =>
      connection.read(() => {
        const row = sql.sealedById.get(id);
        return row === undefined ? null : toSealed(row);
      }),
    list: ({ limit, offset }) =>
      connection.read(() => ({
        items: sql.list.all(limit, offset).map(toCredential),
        total: sql.total.get()?.n ?? 0,
      })),
    named: (ids) => connection.read(() => sql.named.all(JSON.stringify(ids)).map(toName)),
    names: () => connection.read(() => sql.names.all()),
    withNames: (names) => connection.read(() => sql.withNames.all(JSON.stringify(names)).map(toName)),
    sealedByOldKeys: ({ afterId, limit }) =>
      connection.read(() => sql.sealedByOldKeys.all(afterId, limit).map(toSealed)),
    insert: (params) => writer.submit(() => insert(sql, params)),
    update: (params) =>
      writer.submit((effects) => {
        effects.bots = true;
        return update(sql, params);
      }),
    reseal: ({ id, revision, sealed }) =>
      writer.submit(() => {
        if (!isCurrent(sql, sealed)) return 'key_replaced';
        return sql.reseal.run(sealed, id, revision).changes === 1 ? 'stored' : 'stale';
      }),
    remove: (ids) =>
      writer.submit((effects) => {
        effects.bots = true;
        return remove(sql, ids);
      }),
    removeUnused: (ids) =>
      writer.submit((effects) => {
        effects.bots = true;
        const used = uses.used(ids);
        return used.length > 0 ? { used } : { removed: remove(sql, ids) };
      }),
    uses: (params) => connection.read(() => uses.read(params)),
  };
}

type Statements = ReturnType<typeof statements>;

function statements(connection: Connection) {
  return {
    byId: connection.prepare<[number], CredentialRow>(`SELECT ${credentialColumns} FROM credentials WHERE id = ?`),
    sealedById: connection.prepare<[number], SealedRow>(`SELECT ${sealedColumns} FROM credentials WHERE id = ?`),
    // Ids increase with time, so the table is already in the order of the list.
    list: connection.prepare<[number, number], CredentialRow>(
      `SELECT ${credentialColumns} FROM credentials ORDER BY id DESC LIMIT ? OFFSET ?`,
    ),
    total: connection.prepare<[], { n: number }>('SELECT count(*) AS n FROM credentials'),
    named: connection.prepare<[string], NameRow>(
      `SELECT ${nameColumns} FROM credentials WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    ),
    // The subquery is correlated, so each name is one look-up in the index.
    names: connection.prepare<[], Pick<CredentialName, 'id' | 'name'>>(
      'SELECT id, name FROM credentials ORDER BY id LIMIT 1000',
    ),
    withNames: connection.prepare<[string], NameRow>(
      `SELECT ${nameColumns} FROM credentials WHERE id IN (
         SELECT c.id FROM (SELECT DISTINCT value FROM json_each(?)) AS wanted JOIN credentials c
         ON c.id IN (SELECT id FROM credentials INDEXED BY credentials_by_name
                     WHERE name = wanted.value ORDER BY id LIMIT 2))
       ORDER BY id`,
    ),
    sealedByOldKeys: connection.prepare<[number, number], SealedRow>(
      `SELECT ${sealedColumns} FROM credentials
       WHERE id > ? AND substr(sealed, 1, instr(sealed, '.') - 1) NOT IN (SELECT id FROM secret_keys WHERE is_current = 1)
       ORDER BY id LIMIT ?`,
    ),
    isCurrentKey: connection.prepare<[string], { id: string }>(
      'SELECT id FROM secret_keys WHERE id = ? AND is_current = 1',
    ),
    // The seal is bound to the id, which exists only after the insert: the row is completed in the same transaction.
    insert: connection.prepare<[string, string, string, string, string], { id: number }>(
      `INSERT INTO credentials (name, credential_type, masked, sealed, created_at, updated_at)
       VALUES (?, ?, ?, '', ?, ?) RETURNING id`,
    ),
    seal: connection.prepare<[string, number], CredentialRow>(
      `UPDATE credentials SET sealed = ? WHERE id = ? RETURNING ${credentialColumns}`,
    ),
    update: connection.prepare<[string, string, string, string, number, number], CredentialRow>(
      `UPDATE credentials SET name = ?, masked = ?, sealed = ?, updated_at = ?, revision = revision + 1
       WHERE id = ? AND revision = ? RETURNING ${credentialColumns}`,
    ),
    reseal: connection.prepare<[string, number, number]>(
      'UPDATE credentials SET sealed = ?, revision = revision + 1 WHERE id = ? AND revision = ?',
    ),
    remove: connection.prepare<[number]>('DELETE FROM credentials WHERE id = ?'),
  };
}

type NameRow = Omit<CredentialName, 'hasWebhookSecret'> & { readonly hasWebhookSecret: 0 | 1 };

// A damaged row still has its name.
const nameColumns = `id, name, credential_type AS credentialType,
  iif(json_valid(masked), ifnull(json_extract(masked, '$.webhook_secret'), ''), '') <> '' AS hasWebhookSecret`;

function toName(row: NameRow): CredentialName {
  return { ...row, hasWebhookSecret: row.hasWebhookSecret === 1 };
}

function remove(sql: Statements, ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].filter((id) => sql.remove.run(id).changes === 1);
}

/** Whether a seal was made with the key that is current in this transaction: a rotation may have come in between. */
function isCurrent(sql: Statements, sealed: string): boolean {
  return sql.isCurrentKey.get(sealed.slice(0, sealed.indexOf('.'))) !== undefined;
}

function insert(sql: Statements, { name, credentialType, masked, most, seal, at }: NewCredential) {
  if ((sql.total.get()?.n ?? 0) >= most) return 'full';
  const moment = formatInstant(at);
  const { id } = expectRow(sql.insert.get(name, credentialType, masked, moment, moment));
  const sealed = seal({ id, name, credentialType, masked });
  if (!isCurrent(sql, sealed)) {
    sql.remove.run(id);
    return 'key_replaced';
  }
  return toCredential(expectRow(sql.seal.get(sealed, id)));
}

function update(sql: Statements, { id, revision, name, masked, sealed, at }: CredentialUpdate) {
  const before = sql.byId.get(id);
  if (before === undefined) return 'missing';
  if (!isCurrent(sql, sealed)) return 'key_replaced';
  const updatedAt = instantAfter(parseInstant(before.updated_at), storedInstant(at));
  const row = sql.update.get(name, masked, sealed, formatInstant(updatedAt), id, revision);
  return row === undefined ? 'stale' : toCredential(row);
}
