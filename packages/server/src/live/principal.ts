import type { User } from '@millrace/core';

/** Who holds a connection open. */
export interface Holder {
  readonly user: User;
  /** Of the key they came with. */
  readonly keyId: number;
  /** Whether that key still stands. Cheap: asked for every event. */
  stands(): boolean;
  /** The same, asked of the store: finds what another process revoked. */
  recheck(): Promise<boolean>;
}
