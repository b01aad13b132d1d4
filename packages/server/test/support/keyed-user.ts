import type { Instant, KeyScope, User } from '@millrace/core';
import { newApiKey } from '../../src/ground/ids.ts';
import { storedForm } from '../../src/services/access/api-key.ts';
import type { Store } from '../../src/store/store.ts';

interface Wish {
  readonly username: string;
  readonly at: Instant;
  readonly isAdmin?: boolean;
  readonly scope?: KeyScope;
  /** Default: a new one. */
  readonly key?: string;
}

/** A user and one of their keys in plain text. */
export interface KeyedUser {
  readonly user: User;
  readonly key: string;
}

/** Creates another key for the user of this name, who is created if necessary. */
export async function addKeyedUser(store: Store, wish: Wish): Promise<KeyedUser> {
  const { username, at, isAdmin = false, scope = 'full', key = newApiKey() } = wish;
  const user = (await store.users.byUsername(username)) ?? (await store.users.insert({ username, isAdmin, at }));
  if (user === null) throw new Error(`${username} could not be stored`);
  await store.keys.insert({ userId: user.id, name: 'test', scope, expiresAt: null, at, ...storedForm(key) });
  return { user, key };
}
