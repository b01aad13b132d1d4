import { type ApiKey, type Instant, Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { TurnSource } from '../../ground/fair-turns.ts';
import { newApiKey } from '../../ground/ids.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Store } from '../../store/store.ts';
import { storedForm } from './api-key.ts';
import { type IssuedKey, keyEnded } from './keys.ts';

/** A login key that was just created, with its user. */
export interface Login extends IssuedKey {
  readonly user: User;
}

/** Issues login keys: they expire after a week, and a new password revokes them. */
export interface Logins {
  /** @throws Problem `not_authenticated`, with the same text and delay for a wrong password and for an unknown user */
  logIn(proof: PasswordProof, use: LoginUse): Promise<Login>;
  /** Opens the session of a user who has used the setup link. */
  openFirstSession(user: User): Promise<Login>;
  /**
   * Opens a session with an API key. It ends with that key.
   * @throws Problem `not_authenticated` if the key was revoked meanwhile
   */
  openSessionWith(user: User, key: ApiKey): Promise<Login>;
  /** Extends the key of a session that is in use; null if that is not due yet, or not possible any more. */
  renew(session: ApiKey): Promise<ApiKey | null>;
}

/** A name and a password to log in with, and who sent them. */
export interface PasswordProof {
  readonly username: string;
  readonly password: string;
  readonly source: TurnSource;
}

/** What a login key is for: a program logs in again after a week, the session of a browser can be renewed. */
export type LoginUse = 'program' | 'session';

interface LoginsPorts {
  readonly store: Pick<Store, 'users' | 'keys'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly passwords: Passwords;
}

const dayMs: Instant = 24 * 60 * 60 * 1000;

/** A week: a browser in use stays logged in over a weekend, and an abandoned one does not stay logged in for long. */
const loginMs: Instant = 7 * dayMs;

/** A session is renewed at most once a day, so that opening a page rarely writes to the database. */
const renewEveryMs: Instant = dayMs;

/** A quarter: a stolen cookie stops working, and nobody has to log in more than four times a year. */
const maxSessionDays = 90;

export function createLogins({ store, clock, passwords }: LoginsPorts): Logins {
  async function issue(user: User, use: LoginUse, origin: ApiKey | null = null): Promise<Login> {
    const key = newApiKey();
    const at = clock.now();
    const words = { name: 'login', scope: 'full', byLogin: true } as const;
    const atMost = origin?.expiresAt ?? Number.POSITIVE_INFINITY;
    const expiresAt = Math.min(at + loginMs, atMost);
    const renewableUntil = use === 'session' ? Math.min(at + maxSessionDays * dayMs, atMost) : null;
    const from = origin === null ? { isFromPassword: true } : { issuedBy: origin.id };
    const newKey = { userId: user.id, ...words, ...storedForm(key), ...from, expiresAt, renewableUntil, at };
    const apiKey = await store.keys.issue({ ...newKey, most: Number.POSITIVE_INFINITY });
    if (typeof apiKey === 'string') throw keyEnded();
    return { user, key, apiKey };
  }

  return {
    openFirstSession: (user) => issue(user, 'session'),
    openSessionWith: (user, key) => issue(user, 'session', key),
    async renew({ id, expiresAt }) {
      const next = clock.now() + loginMs;
      if (expiresAt === null || next - expiresAt < renewEveryMs) return null;
      return store.keys.renew({ id, expiresAt: next });
    },
    async logIn({ username, password, source }, use) {
      const found = await store.users.passwordOf(username);
      const isRight = await passwords.matches(password, found?.hash ?? null, source);
      if (found === null || !isRight) throw wrongLogin();
      const login = await issue(found.user, use);
      // A new password revokes the login keys that exist then; this key may have been created later with the old
      // password.
      if ((await store.users.passwordOf(username))?.hash !== found.hash) {
        await store.keys.end({ userId: found.user.id, id: login.apiKey.id, at: clock.now() });
        throw wrongLogin();
      }
      return login;
    },
  };
}

function wrongLogin(): Problem {
  return new Problem('not_authenticated', 'Invalid username or password.');
}
