import type { BodyWatch, BoundSecret, OutboundRequest, OutboundResponse } from '@millrace/core';
import type { SealSubject } from './credential-secret.ts';
import type { Vault } from './keys/vault.ts';

/** The dependencies for sending a request with the secret of a stored credential. */
export interface SecretPorts {
  readonly store: {
    readonly credentials: {
      sealedById(id: number): Promise<(SealSubject & { readonly sealed: string }) | null>;
    };
  };
  readonly vault: Vault;
  readonly outbound: {
    sendSecret(
      request: OutboundRequest,
      secret: BoundSecret,
      signal: AbortSignal,
      watch?: BodyWatch,
    ): Promise<OutboundResponse>;
  };
}
