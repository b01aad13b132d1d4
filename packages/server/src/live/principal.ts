import type { User } from '@millrace/core';

/** The user behind a connection. */
export interface Principal {
  readonly user: User;
  /** The expiry of the key they used. */
  readonly keyId: number;
  /** Whether that key is still valid. Cheap, because it is called for every event. */
  stands(): boolean;
  /** The same, checked in the store: detects keys that another process revoked. */
  recheck(): Promise<boolean>;
}
