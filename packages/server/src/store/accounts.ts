import type { ApiKey, Instant, KeyScope, User } from '@millrace/core';
import type { Page } from './page.ts';

/** The users of the service. */
export interface UserStore {
  count(): Promise<number>;
  /** Null when the name is taken. */
  insert(params: NewUser): Promise<User | null>;
  /** Here and below, deleted users do not exist. */
  byId(id: number): Promise<User | null>;
  /** Case-insensitive. */
  byUsername(username: string): Promise<User | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<User>>;
  /** Oldest first. */
  admins(): Promise<readonly User[]>;
  /** The user with this name and the hash of their password; null for a user without a password. */
  passwordOf(username: string): Promise<{ readonly user: User; readonly hash: string | null } | null>;
  /** A new password revokes the keys of logins, and those that came from the old one. The last admin cannot lose that role. */
  update(params: { id: number; changes: UserChanges; at: Instant }): Promise<User | 'missing' | 'last_admin'>;
  /** Deletes a user with their keys; their workflows and runs go to the heir. The last admin cannot be deleted. */
  remove(params: { id: number; heirId: number; at: Instant }): Promise<'removed' | 'missing' | 'last_admin'>;
  /** Completes removals that the end of a process has interrupted. */
  finishRemovals(): Promise<void>;
}

/** A user to be stored. */
export interface NewUser {
  readonly username: string;
  readonly isAdmin: boolean;
  /** Null or omitted for a user who has keys only. */
  readonly passwordHash?: string | null;
  readonly at: Instant;
}

/** The fields of a user that can change. */
export interface UserChanges {
  readonly isAdmin?: boolean;
  readonly passwordHash?: string;
}

/** The API keys of users. */
export interface KeyStore {
  insert(params: NewApiKey): Promise<ApiKey>;
  /**
   * `full` if the user has as many keys as `most`; those of logins do not count and are not limited. `ended` if the key
   * that issues it was revoked.
   */
  issue(params: NewApiKey & { readonly most: number }): Promise<ApiKey | 'full' | 'ended'>;
  /** The unrevoked key with this SHA-256 (hex) and its user. The caller checks `expiresAt`. */
  byHash(hash: string): Promise<{ key: ApiKey; user: User } | null>;
  listOf(userId: number): Promise<readonly ApiKey[]>;
  /** Revokes a key and all that were issued with it. False if this user has no such unrevoked key. */
  revoke(key: KeyOfUser): Promise<boolean>;
  revokeAll(params: { userId: number; at: Instant }): Promise<void>;
  /** Revokes only this key, as a user does by logging out. */
  end(key: KeyOfUser): Promise<void>;
  touch(params: { id: number; at: Instant }): Promise<void>;
  /** Moves the expiry of a key to `expiresAt`, at most to its `renewableUntil`. Null if that is not later than before. */
  renew(params: { id: number; expiresAt: Instant }): Promise<ApiKey | null>;
  /** Whether a login has ever created a key. */
  hasLogin(): Promise<boolean>;
  /** Whether a key with this SHA-256 (hex) was revoked. It can never be stored again. */
  wasRevoked(hash: string): Promise<boolean>;
}

/** A key of a user, and the time of a change. */
export interface KeyOfUser {
  readonly userId: number;
  readonly id: number;
  readonly at: Instant;
}

/** A key to be stored; the secret itself is never passed to the store. */
export interface NewApiKey {
  readonly userId: number;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly scope: KeyScope;
  readonly expiresAt: Instant | null;
  /** The latest expiry that renewals may set. Null or omitted for a key that cannot be renewed. */
  readonly renewableUntil?: Instant | null;
  /**
   * Created by logging in: revoked when the password changes, deleted after it has expired and another one is created,
   * and revoked when the user has logged in 100 times since.
   */
  readonly byLogin?: boolean;
  /** The key with which this one is created; null or omitted if there is none. */
  readonly issuedBy?: number | null;
  /** Whether it came from a password or the setup link, directly or by other keys. `issue` passes it on by default. */
  readonly isFromPassword?: boolean;
  readonly at: Instant;
}
