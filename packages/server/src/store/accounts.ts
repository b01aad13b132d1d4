import type { ApiKey, Instant, KeyScope, User } from '@millrace/core';
import type { Page } from './page.ts';

/** Who may use the service. */
export interface UserStore {
  count(): Promise<number>;
  /** Null when the name is taken. */
  insert(params: NewUser): Promise<User | null>;
  /** Deleted users do not exist, here and below. */
  byId(id: number): Promise<User | null>;
  /** Whatever the case of the letters. */
  byUsername(username: string): Promise<User | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<User>>;
  /** Oldest first. */
  admins(): Promise<readonly User[]>;
  /** The user of a name and the hash of their password, which is null for who has none. */
  passwordOf(username: string): Promise<{ readonly user: User; readonly hash: string | null } | null>;
  /** A new password ends the keys that were made by logging in. The last admin stays one. */
  update(params: { id: number; changes: UserChanges; at: Instant }): Promise<User | 'missing' | 'last_admin'>;
  /** Deletes a user with their keys; their workflows and runs become the heir's. The last admin stays. */
  remove(params: { id: number; heirId: number; at: Instant }): Promise<'removed' | 'missing' | 'last_admin'>;
}

/** A user to be stored. */
export interface NewUser {
  readonly username: string;
  readonly isAdmin: boolean;
  /** Null or left out for somebody who has keys only. */
  readonly passwordHash?: string | null;
  readonly at: Instant;
}

/** What can change in a user. */
export interface UserChanges {
  readonly isAdmin?: boolean;
  readonly passwordHash?: string;
}

/** The API keys of users. */
export interface KeyStore {
  insert(params: NewApiKey): Promise<ApiKey>;
  /** The live key with this SHA-256 (hex) and its user: not revoked; `expiresAt` is the caller's to check. */
  byHash(hash: string): Promise<{ key: ApiKey; user: User } | null>;
  listOf(userId: number): Promise<readonly ApiKey[]>;
  /** False when this user has no such live key. */
  revoke(params: { userId: number; id: number; at: Instant }): Promise<boolean>;
  touch(params: { id: number; at: Instant }): Promise<void>;
  /** Whether a key with this SHA-256 (hex) was revoked: it can never be stored again. */
  wasRevoked(hash: string): Promise<boolean>;
}

/** A key to be stored; the secret itself never comes here. */
export interface NewApiKey {
  readonly userId: number;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly scope: KeyScope;
  readonly expiresAt: Instant | null;
  /** Made by logging in: it ends with the password, and is forgotten once it has expired and another is made. */
  readonly byLogin?: boolean;
  readonly at: Instant;
}
