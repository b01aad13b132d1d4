import type { User } from '@millrace/core';
import { newApiKey } from '../../src/ground/ids.ts';
import type { WholeApp } from './whole-app.ts';

/** Who calls. The first five show no key that stands for a person; the others are people, with a key for everything. */
export const roles = [
  'none',
  'bad',
  'revoked',
  'expired',
  'webhook',
  'stranger',
  'viewer',
  'editor',
  'owner',
  'admin',
] as const;
export type Role = (typeof roles)[number];

/** The people behind the roles, and the key that each role shows; null for none. */
export interface Cast {
  readonly users: Readonly<Record<'stranger' | 'viewer' | 'editor' | 'owner' | 'admin', User>>;
  readonly keys: ReadonlyMap<Role, string | null>;
}

/** The keys that are no good, and the one for webhooks only, are or were the owner's: what they name exists. */
export async function castOf(app: WholeApp): Promise<Cast> {
  const users = {
    stranger: await app.addUser('stranger'),
    viewer: await app.addUser('viewer'),
    editor: await app.addUser('editor'),
    owner: await app.addUser('owner'),
    admin: await app.addUser('admin', true),
  };
  const { key: revoked, stored } = await app.addKey(users.owner);
  await app.store.keys.revoke({ userId: users.owner.id, id: stored.id, at: app.time.clock.now() });
  const keys = new Map<Role, string | null>([
    ['none', null],
    ['bad', newApiKey()],
    ['revoked', revoked],
    ['expired', (await app.addKey(users.owner, { expiresAt: app.time.clock.now() - 1 })).key],
    ['webhook', (await app.addKey(users.owner, { scope: 'webhook' })).key],
  ]);
  for (const [role, user] of Object.entries(users)) keys.set(role as Role, (await app.addKey(user)).key);
  return { users, keys };
}
