import type { Instant } from '@millrace/core';
import { newApiKey } from '../../ground/ids.ts';
import type { Store } from '../../store/store.ts';
import { hashOfKey, storedForm } from '../access/api-key.ts';
import { exampleSlug, seedExample } from './example.ts';

/** What a person must be told once: the admin's key and the workflow to try it on. */
export interface FirstStart {
  readonly key: string;
  /** False when the operator gave the key, and so knows it. */
  readonly keyIsNew: boolean;
  readonly exampleSlug: string;
}

interface FirstStartParams {
  readonly store: Store;
  /** The key that the operator gave, if any. */
  readonly givenKey: string | null;
  /** Keeps a key that is made here, before it is valid: a key that was lost would lock everybody out. */
  readonly keepKey: (key: string) => void;
  readonly at: Instant;
}

const adminName = 'admin';

/** The key that the operator gave cannot be used. The message is one line. */
export class RevokedKey extends Error {
  constructor() {
    super('MILLRACE_API_KEY is a key that was revoked: set it to another one, or unset it.');
    this.name = 'RevokedKey';
  }
}

/**
 * Sees to it that there is an admin who can get in. Where there is none, because the service is new, because its first
 * start was cut off, or because the last key was revoked, it makes a key and returns what to tell; else it returns null.
 * @throws RevokedKey
 */
export async function firstStart(params: FirstStartParams): Promise<FirstStart | null> {
  const { store, givenKey, keepKey, at } = params;
  const admin =
    (await store.users.admins())[0] ?? (await store.users.insert({ username: adminName, isAdmin: true, at }));
  if (admin === null) throw new Error('the first user could not be stored');
  const isOpen = await canGetIn(params);
  if (!isOpen) await seedExample(store, { ownerId: admin.id, at });
  const key = givenKey ?? (isOpen ? null : newApiKey());
  if (key !== null && (await store.keys.byHash(hashOfKey(key))) === null) {
    if (await store.keys.wasRevoked(hashOfKey(key))) throw new RevokedKey();
    if (givenKey === null) keepKey(key);
    const name = givenKey === null ? 'first key' : 'given by MILLRACE_API_KEY';
    const words = { name, scope: 'full', expiresAt: null } as const;
    await store.keys.insert({ userId: admin.id, ...words, ...storedForm(key), at });
  }
  if (isOpen || key === null) return null;
  return { key, keyIsNew: givenKey === null, exampleSlug };
}

/** Whether some admin has a password, or a key for everything that has not expired. */
async function canGetIn({ store, at }: FirstStartParams): Promise<boolean> {
  for (const { id, username } of await store.users.admins()) {
    const password = await store.users.passwordOf(username);
    if (password !== null && password.hash !== null) return true;
    const keys = await store.keys.listOf(id);
    if (keys.some(({ scope, expiresAt }) => scope === 'full' && (expiresAt === null || expiresAt > at))) return true;
  }
  return false;
}
