import type { AccessChange, ApiKey, Instant, User } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { hashOfKey, looksLikeKey } from './api-key.ts';
import { Newest } from './newest.ts';

/** A live key and its user. */
export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

/** Tells who holds an API key. */
export interface Authentication {
  /** Null for a wrong, revoked or expired key. A key seen a moment ago is answered at once, without a promise. */
  identify(key: string): Identity | null | Promise<Identity | null>;
  /** Whether an identity still stands: its key was not forgotten here and has not expired. */
  stands(identity: Identity): boolean;
  /** What changed is so for the very next request: a revoked key, a user who is no admin any more. */
  accessChanged(changes: readonly AccessChange[]): void;
}

interface AuthenticationPorts {
  readonly store: Pick<Store, 'keys'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

interface Known {
  readonly identity: Identity;
  /** On the monotonic clock. */
  readonly until: number;
}

/** How long a key is taken as read: bounds how long another process's revocation goes unnoticed. */
const knownForMs = 1000;
/** Keys in use at the same second, generously. */
const maxKnown = 1000;
/**
 * Revoked keys that are refused whatever an older look-up found. Look-ups take milliseconds, and sockets ask anew at each
 * revocation: a key that as many others followed is nobody's any more.
 */
const maxForgotten = 10_000;
/** `last_used_at` is for people; a write for each request would cost more than the request. */
const touchEveryMs = 60_000;

export function createAuthentication(ports: AuthenticationPorts): Authentication {
  return new KeyAuthentication(ports);
}

class KeyAuthentication implements Authentication {
  readonly #ports: AuthenticationPorts;
  readonly #known = new Newest<string, Known>(maxKnown);
  readonly #looking = new Map<string, Promise<Identity | null>>();
  /** Of keys in use: what was read of another is no older than `knownForMs`. */
  readonly #touched = new Newest<number, Instant>(maxKnown);
  readonly #forgotten = new Newest<number, true>(maxForgotten);
  /** Goes up with each change of users: what was looked up before is not kept. */
  #generation = 0;

  constructor(ports: AuthenticationPorts) {
    this.#ports = ports;
  }

  identify(key: string): Identity | null | Promise<Identity | null> {
    if (!looksLikeKey(key)) return null;
    const hash = hashOfKey(key);
    const known = this.#known.get(hash);
    if (known !== undefined && known.until > this.#ports.clock.monotonic()) return this.#accept(known.identity);
    const looking = this.#looking.get(hash) ?? this.#lookUp(hash).finally(() => this.#looking.delete(hash));
    this.#looking.set(hash, looking);
    return looking.then((identity) => identity && this.#accept(identity));
  }

  stands({ key }: Identity): boolean {
    if (this.#forgotten.has(key.id)) return false;
    return key.expiresAt === null || key.expiresAt > this.#ports.clock.now();
  }

  accessChanged(changes: readonly AccessChange[]): void {
    for (const change of changes) {
      // Also refuses what a look-up that is under way now will find.
      if (change.kind === 'key') this.#forgotten.set(change.keyId, true);
      else if (change.kind === 'user' || change.kind === 'unknown') this.#restart();
    }
  }

  /** Rare, so all are looked up again: who holds which key is not worth an index. */
  #restart(): void {
    this.#generation += 1;
    this.#known.clear();
    this.#looking.clear();
  }

  async #lookUp(hash: string): Promise<Identity | null> {
    const generation = this.#generation;
    const identity = await this.#ports.store.keys.byHash(hash);
    if (identity === null || !this.stands(identity)) {
      this.#known.delete(hash);
      return null;
    }
    if (generation !== this.#generation) return identity;
    this.#known.set(hash, { identity, until: this.#ports.clock.monotonic() + knownForMs });
    return identity;
  }

  #accept(identity: Identity): Identity | null {
    if (!this.stands(identity)) return null;
    this.#touch(identity.key);
    return identity;
  }

  #touch({ id, lastUsedAt }: ApiKey): void {
    const now = this.#ports.clock.now();
    const last = this.#touched.get(id) ?? lastUsedAt;
    if (last !== null && now - last < touchEveryMs) return;
    this.#touched.set(id, now);
    this.#ports.store.keys.touch({ id, at: now }).catch((error: unknown) => {
      this.#ports.log.warn({ err: error, keyId: id }, 'when a key was last used could not be stored');
    });
  }
}
