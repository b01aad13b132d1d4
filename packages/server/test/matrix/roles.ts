import type { User } from '@millrace/core';
import { newApiKey } from '../../src/ground/ids.ts';
import type { WholeApp } from './whole-app.ts';

/**
 * The callers. The first five have no key of full scope, the others are users with one. A public viewer is a stranger to
 * whom the workflow is public.
 */
export const roles = [
  'none',
  'bad',
  'revoked',
  'expired',
  'webhook',
  'stranger',
  'public_viewer',
  'viewer',
  'editor',
  'owner',
  'admin',
] as const;
export type Role = (typeof roles)[number];

/** The users of the roles, and the key of each role; null for none. */
export interface Cast {
  readonly users: Readonly<Record<'stranger' | 'public_viewer' | 'viewer' | 'editor' | 'owner' | 'admin', User>>;
  readonly keys: ReadonlyMap<Role, string | null>;
}

/** The invalid keys and the webhook key belong or belonged to the owner, so the objects of their requests exist. */
export async function castOf(app: WholeApp): Promise<Cast> {
  const users = {
    stranger: await app.addUser('stranger'),
    public_viewer: await app.addUser('public_viewer'),
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
