import { type ApiKey, type Instant, type KeyScope, Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newApiKey } from '../../ground/ids.ts';
import type { Store } from '../../store/store.ts';
import { storedForm } from './api-key.ts';

interface KeyRequest {
  readonly name: string;
  readonly scope: KeyScope;
  readonly expiresAt: Instant | null;
  /** The key of the caller; null on the command line. Revoking it revokes the new key. */
  readonly issuedBy: number | null;
}

/** A key that was just created, the only time that its text exists. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** The API keys of a user. */
export interface Keys {
  issue(user: User, request: KeyRequest): Promise<IssuedKey>;
  list(user: User): Promise<readonly ApiKey[]>;
  /** @throws Problem `not_found` if the user has no such key, also for null */
  find(user: User, id: number | null): Promise<ApiKey>;
  /** Revokes a key and all that were created with it. @throws Problem `not_found` if the user has no such key */
  revoke(user: User, id: number): Promise<void>;
  revokeAll(user: User): Promise<void>;
  /** Revokes only this key, for a key that replaces it. */
  end(user: User, id: number): Promise<void>;
}

interface KeysPorts {
  readonly store: Pick<Store, 'keys'>;
  readonly clock: Clock;
}

/** One for each program that a user connects; the list of them has no pages. */
const maxKeys = 100;

export function createKeys({ store, clock }: KeysPorts): Keys {
  return {
    async issue(user, { name, scope, expiresAt, issuedBy }) {
      const at = clock.now();
      if (expiresAt !== null && expiresAt <= at) {
        throw new Problem('invalid', [{ type: 'past', loc: ['body', 'expires_at'], msg: 'must be in the future' }]);
      }
      const key = newApiKey();
      const words = { userId: user.id, name, scope, expiresAt, issuedBy, at };
      const apiKey = await store.keys.issue({ ...words, ...storedForm(key), most: maxKeys });
      if (apiKey === 'full') throw tooMany();
      if (apiKey === 'ended') throw keyEnded();
      return { apiKey, key };
    },
    list: (user) => store.keys.listOf(user.id),
    async find(user, id) {
      const found = (await store.keys.listOf(user.id)).find((key) => key.id === id);
      if (found === undefined) throw keyNotFound();
      return found;
    },
    async revoke(user, id) {
      if (!(await store.keys.revoke({ userId: user.id, id, at: clock.now() }))) throw keyNotFound();
    },
    end: (user, id) => store.keys.end({ userId: user.id, id, at: clock.now() }),
    revokeAll: ({ id }) => store.keys.revokeAll({ userId: id, at: clock.now() }),
  };
}

function tooMany(): Problem {
  const msg = `You have ${maxKeys} API keys: revoke one first.`;
  return new Problem('invalid', [{ type: 'too_many', loc: ['body'], msg }]);
}

/** The error for a key that was revoked while it created another one. */
export function keyEnded(): Problem {
  return new Problem('not_authenticated', 'The API key or session has ended.');
}

/** The error for a key that does not exist or belongs to another user. */
export function keyNotFound(): Problem {
  return new Problem('not_found', 'API key not found.');
}
