import {
  formatInstant,
  type Instant,
  type KnownPerson,
  maxPeople,
  type Person,
  type PersonFound,
  type PersonSeen,
  parseInstant,
} from '@millrace/core';
import type { MemoryStore } from '../../memory.ts';
import type { Page } from '../../page.ts';
import { expectRow } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import { prepareOwnerOf } from './owner-of.ts';

interface PersonRow {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly created_by: string;
  readonly created_at: string;
}

/** Characters of the part of the step's key that is the id of a person: 128 bits. */
const idLength = 32;

/** Identifies people, in a transaction that is under way. */
export function preparePeople(connection: Connection) {
  const sql = statements(connection);
  const ownerOf = prepareOwnerOf(connection);
  const countOf = preparePeopleCount(connection);
  const create = (ownerId: number, { key, at }: { readonly key: string; readonly at: Instant }): PersonRow | 'full' => {
    if (countOf(ownerId) >= maxPeople) return 'full';
    // From the key, so that an attempt that is repeated after a crash stores nobody else.
    return expectRow(sql.add.get(`u_${key.slice(0, idLength)}`, ownerId, key, formatInstant(at)));
  };
  const byEmail = (ownerId: number, { email, linkByEmail }: PersonSeen): PersonRow | undefined =>
    email === null || !linkByEmail ? undefined : sql.byEmail.get(ownerId, email);
  return function identify(params: Parameters<MemoryStore['identify']>[0]): PersonFound | 'full' {
    const { owner, seen, key } = params;
    const ownerId = ownerOf(owner);
    const { channel, externalId, name, email } = seen;
    const known = sql.byIdentity.get(ownerId, channel, externalId);
    const row = known ?? byEmail(ownerId, seen) ?? create(ownerId, params);
    if (row === 'full') return 'full';
    if (known === undefined) sql.addIdentity.run(ownerId, channel, externalId, row.id);
    const changed = { ...row, name: name ?? row.name, email: email ?? row.email };
    if (changed.name !== row.name || changed.email !== row.email)
      sql.change.run(changed.name, changed.email, changed.name?.toLowerCase() ?? null, row.id);
    return { person: toPerson(changed), isNew: row.created_by === key };
  };
}

function statements(connection: Connection) {
  const columns = 'p.id, p.name, p.email, p.created_by, p.created_at';
  return {
    byIdentity: connection.prepare<[number, string, string], PersonRow>(
      `SELECT ${columns} FROM memory_identities i JOIN memory_people p ON p.id = i.person_id
       WHERE i.owner_id = ? AND i.channel = ? AND i.external_id = ?`,
    ),
    byEmail: connection.prepare<[number, string], PersonRow>(
      `SELECT ${columns} FROM memory_people p WHERE p.owner_id = ? AND p.email = ?
       ORDER BY p.created_at, p.id LIMIT 1`,
    ),
    add: connection.prepare<[string, number, string, string], PersonRow>(
      `INSERT INTO memory_people (id, owner_id, name, email, created_by, created_at) VALUES (?, ?, NULL, NULL, ?, ?)
       RETURNING id, name, email, created_by, created_at`,
    ),
    addIdentity: connection.prepare<[number, string, string, string]>(
      'INSERT INTO memory_identities (owner_id, channel, external_id, person_id) VALUES (?, ?, ?, ?)',
    ),
    change: connection.prepare<[string | null, string | null, string | null, string]>(
      'UPDATE memory_people SET name = ?, email = ?, name_lower = ? WHERE id = ?',
    ),
  };
}

/** How many people the workflows of an owner know. */
function preparePeopleCount(connection: Connection): (ownerId: number) => number {
  const find = connection.prepare<[number], { n: number }>('SELECT n FROM memory_people_counts WHERE owner_id = ?');
  return (ownerId) => find.get(ownerId)?.n ?? 0;
}

/** After every text that begins with another one. */
const lastCharacter = '\u{10ffff}';

/** Lists and deletes people. */
export function preparePeopleLists(connection: Connection) {
  const countOf = preparePeopleCount(connection);
  const page = 'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?';
  const all = connection.prepare<[number, number, number], PersonRow>(
    `SELECT id, name, email, created_by, created_at FROM memory_people WHERE owner_id = ? ${page}`,
  );
  const beginning = `SELECT id FROM memory_people WHERE owner_id = @owner AND name_lower >= @from AND name_lower < @to
     UNION SELECT id FROM memory_people WHERE owner_id = @owner AND email >= @from AND email < @to`;
  type Range = { readonly owner: number; readonly from: string; readonly to: string };
  const found = connection.prepare<[Range, number, number], PersonRow>(
    `SELECT id, name, email, created_by, created_at FROM memory_people WHERE id IN (${beginning}) ${page}`,
  );
  const count = connection.prepare<[Range], { n: number }>(`SELECT count(*) AS n FROM (${beginning})`);
  const identities = connection.prepare<[string], { channel: string; external_id: string }>(
    'SELECT channel, external_id FROM memory_identities WHERE person_id = ? ORDER BY channel, external_id',
  );
  const remove = connection.prepare<[number, string]>('DELETE FROM memory_people WHERE owner_id = ? AND id = ?');
  const known = (row: PersonRow): KnownPerson => ({
    ...toPerson(row),
    identities: identities.all(row.id).map(({ channel, external_id }) => ({ channel, externalId: external_id })),
  });
  return {
    list({ ownerId, query, limit, offset }: Parameters<MemoryStore['people']>[0]): Page<KnownPerson> {
      if (query === null) return { items: all.all(ownerId, limit, offset).map(known), total: countOf(ownerId) };
      const from = query.toLowerCase();
      const range = { owner: ownerId, from, to: from + lastCharacter };
      return { items: found.all(range, limit, offset).map(known), total: count.get(range)?.n ?? 0 };
    },
    remove: (ownerId: number, id: string) => void remove.run(ownerId, id),
  };
}

function toPerson({ id, name, email, created_at }: PersonRow): Person {
  return { id, name, email, createdAt: parseInstant(created_at) };
}
