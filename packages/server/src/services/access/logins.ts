import { type Instant, Problem } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newApiKey } from '../../ground/ids.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Store } from '../../store/store.ts';
import { storedForm } from './api-key.ts';
import type { IssuedKey } from './keys.ts';

/** Issues keys for passwords. */
export interface Logins {
  /** @throws Problem `not_authenticated`, with the same text and delay for a wrong password and for an unknown user */
  logIn(username: string, password: string): Promise<IssuedKey>;
}

interface LoginsPorts {
  readonly store: Pick<Store, 'users' | 'keys'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly passwords: Passwords;
}

/** A week: a browser in use stays logged in over a weekend, and an abandoned one does not stay logged in for long. */
const loginMs: Instant = 7 * 24 * 60 * 60 * 1000;

export function createLogins({ store, clock, passwords }: LoginsPorts): Logins {
  return {
    async logIn(username, password) {
      const found = await store.users.passwordOf(username);
      const isRight = await passwords.matches(password, found?.hash ?? null);
      if (found === null || !isRight) throw wrongLogin();
      const key = newApiKey();
      const at = clock.now();
      const words = { name: 'login', scope: 'full', byLogin: true } as const;
      const apiKey = await store.keys.insert({
        userId: found.user.id,
        ...words,
        ...storedForm(key),
        expiresAt: at + loginMs,
        at,
      });
      // A new password revokes the login keys that exist then; this key may have been created later with the old
      // password.
      if ((await store.users.passwordOf(username))?.hash !== found.hash) {
        await store.keys.revoke({ userId: found.user.id, id: apiKey.id, at: clock.now() });
        throw wrongLogin();
      }
      return { apiKey, key };
    },
  };
}

function wrongLogin(): Problem {
  return new Problem('not_authenticated', 'Invalid username or password.');
}
