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
  readonly at: Instant;
}

const adminName = 'admin';

/**
 * Makes the admin, a key and the example where there is no user yet: then returns what to tell. On later starts it only
 * sees to it that a key given by the operator is valid, and returns null.
 */
export async function firstStart({ store, givenKey, at }: FirstStartParams): Promise<FirstStart | null> {
  const known = await store.users.byUsername(adminName);
  const admin = known ?? (await store.users.insert({ username: adminName, isAdmin: true, at }));
  if (admin === null) throw new Error('the first user could not be stored');
  const isFirst = known === null;
  const key = givenKey ?? (isFirst ? newApiKey() : null);
  if (key !== null && (await store.keys.byHash(hashOfKey(key))) === null) {
    const name = givenKey === null ? 'first key' : 'given by MILLRACE_API_KEY';
    const words = { name, hash: hashOfKey(key), prefix: prefixOfKey(key), scope: 'full', expiresAt: null } as const;
    await store.keys.insert({ userId: admin.id, ...words, at });
  }
  if (!isFirst || key === null) return null;
  await seedExample(store, { ownerId: admin.id, at });
  return { key, keyIsNew: givenKey === null, exampleSlug };
}
