import { type Instant, Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newApiKey } from '../../ground/ids.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Store } from '../../store/store.ts';
import { storedForm } from './api-key.ts';
import type { IssuedKey } from './keys.ts';

/** A login key that was just created, with its user. */
export interface Login extends IssuedKey {
  readonly user: User;
}

/** Issues login keys: they expire after a week, and a new password revokes them. */
export interface Logins {
  /** @throws Problem `not_authenticated`, with the same text and delay for a wrong password and for an unknown user */
  logIn(username: string, password: string): Promise<Login>;
  /** Issues a login key to a user who was authenticated in another way. @param until it expires at this time at the latest */
  issue(user: User, until?: Instant | null): Promise<Login>;
}

interface LoginsPorts {
  readonly store: Pick<Store, 'users' | 'keys'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly passwords: Passwords;
}

/** A week: a browser in use stays logged in over a weekend, and an abandoned one does not stay logged in for long. */
const loginMs: Instant = 7 * 24 * 60 * 60 * 1000;

export function createLogins({ store, clock, passwords }: LoginsPorts): Logins {
  async function issue(user: User, until: Instant | null = null): Promise<Login> {
    const key = newApiKey();
    const at = clock.now();
    const words = { name: 'login', scope: 'full', byLogin: true } as const;
    const expiresAt = Math.min(at + loginMs, until ?? Number.POSITIVE_INFINITY);
    return {
      user,
      key,
      apiKey: await store.keys.insert({ userId: user.id, ...words, ...storedForm(key), expiresAt, at }),
    };
  }

  return {
    issue,
    async logIn(username, password) {
      const found = await store.users.passwordOf(username);
      const isRight = await passwords.matches(password, found?.hash ?? null);
      if (found === null || !isRight) throw wrongLogin();
      const login = await issue(found.user);
      // A new password revokes the login keys that exist then; this key may have been created later with the old
      // password.
      if ((await store.users.passwordOf(username))?.hash !== found.hash) {
        await store.keys.revoke({ userId: found.user.id, id: login.apiKey.id, at: clock.now() });
        throw wrongLogin();
      }
      return login;
    },
  };
}

function wrongLogin(): Problem {
  return new Problem('not_authenticated', 'Invalid username or password.');
}
