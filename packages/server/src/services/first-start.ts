import type { Instant } from '@millrace/core';
import { newApiKey } from '../ids.ts';
import type { Store } from '../store/store.ts';
import { hashOfKey, prefixOfKey } from './api-key.ts';
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

/**
 * Sees to it that there is an admin who has a key. Where there is none, because the service is new, because its first
 * start was cut off, or because the last key was revoked, it makes one and returns what to tell; else it returns null.
 */
export async function firstStart({ store, givenKey, keepKey, at }: FirstStartParams): Promise<FirstStart | null> {
  const known = await store.users.byUsername(adminName);
  const admin = known ?? (await store.users.insert({ username: adminName, isAdmin: true, at }));
  if (admin === null) throw new Error('the first user could not be stored');
  const hasKey = (await store.keys.listOf(admin.id)).length > 0;
  if (!hasKey) await seedExample(store, { ownerId: admin.id, at });
  const key = givenKey ?? (hasKey ? null : newApiKey());
  if (key !== null && (await store.keys.byHash(hashOfKey(key))) === null) {
    if (givenKey === null) keepKey(key);
    const name = givenKey === null ? 'first key' : 'given by MILLRACE_API_KEY';
    const words = { name, hash: hashOfKey(key), prefix: prefixOfKey(key), scope: 'full', expiresAt: null } as const;
    await store.keys.insert({ userId: admin.id, ...words, at });
  }
  if (hasKey || key === null) return null;
  return { key, keyIsNew: givenKey === null, exampleSlug };
}
