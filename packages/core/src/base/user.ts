import type { Instant } from '../time.ts';

export interface User {
  readonly id: number;
  readonly username: string;
  readonly isAdmin: boolean;
  readonly createdAt: Instant;
}

/** What a key may do: everything that its user may, or only start workflows by webhook. */
export type KeyScope = 'full' | 'webhook';

/** An API key without its secret, of which only the SHA-256 is stored. */
export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** The first characters of the key, to identify it. */
  readonly prefix: string;
  readonly scope: KeyScope;
  /** Created by logging in. Only such a key can be the session of a browser. */
  readonly byLogin: boolean;
  /** The id of the key with which it was created; null if there is none. Revoking that key revokes this one. */
  readonly issuedBy: number | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
}
