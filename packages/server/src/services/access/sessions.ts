import { Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Authentication } from './authentication.ts';
import type { FirstLogin } from './first-login.ts';
import type { Login, Logins, PasswordProof } from './logins.ts';

/** What a person sends to log in. */
export type Proof =
  | ({ readonly kind: 'password' } & PasswordProof)
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'setup'; readonly token: string };

/** The sessions of browsers. Each is a login key, which the browser stores in a cookie. */
export interface Sessions {
  /** @throws Problem `not_authenticated` if the proof is wrong, or `key_scope` for a key that may not log in */
  open(proof: Proof): Promise<Login>;
  /**
   * A session of the user, who has just set this password: it revoked all earlier ones.
   * @throws Problem `not_authenticated` if the password has changed again
   */
  reopen(user: User, password: string): Promise<Login>;
  /** The session with this key, renewed if that is due; null with any other text. */
  resume(sessionKey: string): Promise<Resumed | null>;
  /** Revokes the key of a session, but not the keys created in it; does nothing with any other text. */
  close(sessionKey: string): Promise<void>;
}

/** A session that continues. */
interface Resumed {
  readonly user: User;
  /** The session with its later expiry; null if it was not renewed. */
  readonly renewed: Login | null;
}

interface SessionsPorts {
  readonly store: Pick<Store, 'keys'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logins: Logins;
  readonly firstLogin: FirstLogin;
  readonly authentication: Pick<Authentication, 'identify'>;
}

export function createSessions({ store, clock, logins, firstLogin, authentication }: SessionsPorts): Sessions {
  async function openWithKey(given: string): Promise<Login> {
    const identity = await authentication.identify(given);
    if (identity === null) throw new Problem('not_authenticated', 'Invalid API key.');
    const { user, key } = identity;
    if (key.scope !== 'full') throw new Problem('key_scope', 'This API key may only start workflows by webhook.');
    return logins.openSessionWith(user, key);
  }

  return {
    async open(proof) {
      switch (proof.kind) {
        case 'password':
          return logins.logIn(proof, 'session');
        case 'key':
          return openWithKey(proof.key);
        case 'setup':
          return firstLogin.redeem(proof.token, (admin) => logins.openFirstSession(admin));
      }
    },
    reopen: ({ id, username }, password) =>
      logins.logIn({ username, password, source: { id: `user ${id}`, isKnown: true } }, 'session'),
    async resume(sessionKey) {
      const identity = await authentication.identify(sessionKey);
      if (identity?.key.byLogin !== true) return null;
      const renewed = await logins.renew(identity.key);
      const { user } = identity;
      return { user, renewed: renewed && { user, key: sessionKey, apiKey: renewed } };
    },
    async close(sessionKey) {
      const identity = await authentication.identify(sessionKey);
      if (identity?.key.byLogin !== true) return;
      await store.keys.end({ userId: identity.user.id, id: identity.key.id, at: clock.now() });
    },
  };
}
