import type { AccessChange, ApiKey, Instant, User } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { hashOfKey, looksLikeKey } from './api-key.ts';
import { Newest } from './newest.ts';

/** A valid key and its user. */
export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

/** Finds the user of an API key. */
export interface Authentication {
  /** Null for a wrong, revoked or expired key. For a cached key it returns at once, without a promise. */
  identify(key: string): Identity | null | Promise<Identity | null>;
  /** True if an identity is still valid: its key was not revoked through this process and has not expired. */
  stands(identity: Identity): boolean;
  /** Applies changes from the next request on: a revoked key, a user who is no longer an admin. */
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

/** How long a key is cached. This limits how long a revocation by another process goes unnoticed. */
const knownForMs = 1000;
/** A generous number of keys in use within one second. */
const maxKnown = 1000;
/**
 * Revoked keys that are rejected whatever an older lookup found. A lookup takes milliseconds, and sockets check their
 * key at each revocation, so after this many later revocations nothing uses a key any more.
 */
const maxForgotten = 10_000;
/** `last_used_at` is information for people; a write for each request would cost more than the request. */
const touchEveryMs = 60_000;

export function createAuthentication(ports: AuthenticationPorts): Authentication {
  return new KeyAuthentication(ports);
}

class KeyAuthentication implements Authentication {
  readonly #ports: AuthenticationPorts;
  readonly #known = new Newest<string, Known>(maxKnown);
  readonly #looking = new Map<string, Promise<Identity | null>>();
  /** Of the keys in use. For any other key the stored `lastUsedAt` is at most `knownForMs` old. */
  readonly #touched = new Newest<number, Instant>(maxKnown);
  readonly #forgotten = new Newest<number, true>(maxForgotten);
  /** Increases with each change of users: a lookup that began before is not cached. */
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
      // Also rejects the result of a lookup in progress.
      if (change.kind === 'key') this.#forgotten.set(change.keyId, true);
      else if (change.kind === 'user' || change.kind === 'unknown') this.#restart();
    }
  }

  /** User changes are rare, so all keys are looked up again: an index of keys by user would not pay. */
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
    if (last !== null && Math.abs(now - last) < touchEveryMs) return;
    this.#touched.set(id, now);
    this.#ports.store.keys.touch({ id, at: now }).catch((error: unknown) => {
      this.#ports.log.warn({ err: error, keyId: id }, 'could not store when a key was last used');
    });
  }
}
