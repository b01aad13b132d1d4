import type { Instant } from '@millrace/core';
import { newApiKey } from '../../ground/ids.ts';
import type { Store } from '../../store/store.ts';
import { hashOfKey, storedForm } from '../access/api-key.ts';
import { exampleSlug, seedExample } from './example.ts';

/** What the first start prints: the admin's key and the example workflow. */
export interface FirstStart {
  readonly key: string;
  /** False if the operator set the key. */
  readonly keyIsNew: boolean;
  readonly exampleSlug: string;
}

interface FirstStartParams {
  readonly store: Store;
  /** The key that the operator set, if any. */
  readonly givenKey: string | null;
  /** Stores a generated key before it becomes valid: a lost key would lock everyone out. */
  readonly keepKey: (key: string) => void;
  readonly at: Instant;
}

const adminName = 'admin';

/** The operator's key cannot be used. The message is one line. */
export class RevokedKey extends Error {
  constructor() {
    super('MILLRACE_API_KEY is a key that was revoked: set it to another one, or unset it.');
    this.name = 'RevokedKey';
  }
}

/**
 * Ensures that there is an admin who can log in. If there is none (a new service, an interrupted first start, or a
 * revoked last key), it creates a key and returns what to print; otherwise it returns null.
 * @throws RevokedKey
 */
export async function firstStart(params: FirstStartParams): Promise<FirstStart | null> {
  const { store, givenKey, keepKey, at } = params;
  const admin =
    (await store.users.admins())[0] ?? (await store.users.insert({ username: adminName, isAdmin: true, at }));
  if (admin === null) throw new Error('the first user could not be stored');
  const isOpen = await canGetIn(params);
  if (!isOpen) await seedExample(store, at);
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

/** Whether an admin has a password, or an unexpired key of scope `full`. */
async function canGetIn({ store, at }: FirstStartParams): Promise<boolean> {
  for (const { id, username } of await store.users.admins()) {
    const password = await store.users.passwordOf(username);
    if (password !== null && password.hash !== null) return true;
    const keys = await store.keys.listOf(id);
    if (keys.some(({ scope, expiresAt }) => scope === 'full' && (expiresAt === null || expiresAt > at))) return true;
  }
  return false;
}
