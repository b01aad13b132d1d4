import { timingSafeEqual } from 'node:crypto';
import { Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { hashOfKey } from './api-key.ts';
import type { Authentication, Identity } from './authentication.ts';
import type { Login, Logins } from './logins.ts';

/** What a person shows to log in. */
export type Proof =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'setup'; readonly token: string };

/** Sessions of browsers: each is a login key, which the browser keeps in a cookie. */
export interface Sessions {
  /** @throws Problem `not_authenticated` if the proof is wrong */
  open(proof: Proof): Promise<Login>;
  /** Revokes the key of a session. */
  close(identity: Identity): Promise<void>;
  /** True until somebody has logged in, or an admin has a password. */
  isSetupNeeded(): Promise<boolean>;
}

interface SessionsPorts {
  readonly store: Pick<Store, 'users' | 'keys'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logins: Logins;
  readonly authentication: Pick<Authentication, 'identify'>;
  /** Logs in the first person, once; null if the start has printed none. */
  readonly setupToken: string | null;
}

export function createSessions(ports: SessionsPorts): Sessions {
  return new BrowserSessions(ports);
}

class BrowserSessions implements Sessions {
  readonly #ports: SessionsPorts;
  #setupToken: string | null;
  /** Once somebody has logged in, the store need not be asked again. */
  #isSetUp = false;

  constructor(ports: SessionsPorts) {
    this.#ports = ports;
    this.#setupToken = ports.setupToken;
  }

  async open(proof: Proof): Promise<Login> {
    switch (proof.kind) {
      case 'password':
        return this.#ports.logins.logIn(proof.username, proof.password);
      case 'key':
        return this.#ports.logins.issue(await this.#ownerOf(proof.key));
      case 'setup':
        return this.#ports.logins.issue(await this.#firstAdmin(proof.token));
    }
  }

  async close({ user, key }: Identity): Promise<void> {
    await this.#ports.store.keys.revoke({ userId: user.id, id: key.id, at: this.#ports.clock.now() });
  }

  async isSetupNeeded(): Promise<boolean> {
    this.#isSetUp ||= await this.#hasLoggedIn();
    return !this.#isSetUp;
  }

  async #hasLoggedIn(): Promise<boolean> {
    const { users, keys } = this.#ports.store;
    if (await keys.hasLogin()) return true;
    for (const { username } of await users.admins()) {
      if ((await users.passwordOf(username))?.hash != null) return true;
    }
    return false;
  }

  async #ownerOf(key: string): Promise<User> {
    const identity = await this.#ports.authentication.identify(key);
    if (identity === null) throw new Problem('not_authenticated', 'Invalid API key.');
    if (identity.key.scope !== 'full')
      throw new Problem('key_scope', 'This API key may only start workflows by webhook.');
    return identity.user;
  }

  async #firstAdmin(token: string): Promise<User> {
    const [admin] = await this.#ports.store.users.admins();
    const isNeeded = await this.isSetupNeeded();
    // Nothing runs between this check and the removal, so the token works once.
    const isRight = this.#setupToken !== null && isSameText(token, this.#setupToken);
    if (!isRight || !isNeeded || admin === undefined) {
      throw new Problem('not_authenticated', 'This setup link is not valid any more.');
    }
    this.#setupToken = null;
    return admin;
  }
}

/** Compares hashes, so that the time depends neither on the texts nor on their lengths. */
function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOfKey(one)), Buffer.from(hashOfKey(other)));
}
