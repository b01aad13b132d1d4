import type { ApiKey, User } from '@millrace/core';
import type { KeyStore, NewApiKey } from '../../store/accounts.ts';
import type { Store } from '../../store/store.ts';
import { Newest } from './newest.ts';

/** Logins that are kept at the same time: enough for every user of a service that is being repaired. */
const maxReadOnlyLogins = 1000;

interface ReadOnlyLoginPorts {
  readonly store: Pick<Store, 'keys' | 'users' | 'isWritable'>;
  /** Called when a key is revoked that the store does not announce. */
  readonly revoked: (keyId: number) => void;
}

/**
 * The keys of the store. When nothing more can be stored, because the database is damaged, people still log in, to read
 * and export what is readable: their login keys are kept in memory until the service is restarted.
 */
export function createReadOnlyLogins({ store, revoked }: ReadOnlyLoginPorts): KeyStore {
  const { keys, users } = store;
  const kept = new Newest<string, { readonly key: ApiKey; readonly user: User }>(maxReadOnlyLogins);
  let lastId = 0;

  async function keep({ hash, at, issuedBy = null, ...given }: NewApiKey): Promise<ApiKey> {
    const { userId, name, prefix, scope, expiresAt } = given;
    const user = await users.byId(userId);
    // The ids of the store are positive.
    lastId -= 1;
    const times = { createdAt: at, expiresAt, lastUsedAt: at };
    const key = { id: lastId, userId, name, prefix, scope, byLogin: true, issuedBy, ...times };
    if (user !== null) kept.set(hash, { key, user });
    return key;
  }

  return {
    ...keys,
    issue: (key) => (store.isWritable || key.byLogin !== true ? keys.issue(key) : keep(key)),
    byHash: async (hash) => kept.get(hash) ?? keys.byHash(hash),
    async end(key) {
      if (store.isWritable) return keys.end(key);
      // A session that is in the store is valid again after the restart; the logout has deleted its cookie.
      revoked(key.id);
    },
    // A first login cannot be stored: no setup link is printed.
    hasLogin: async () => !store.isWritable || keys.hasLogin(),
    touch: async (use) => (store.isWritable ? keys.touch(use) : undefined),
    renew: async (session) => (store.isWritable ? keys.renew(session) : null),
  };
}
