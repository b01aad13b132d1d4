import { randomBytes } from 'node:crypto';
import { type CredentialType, type GitDetail, Problem, readBasicPair } from '@millrace/core';
import { openSecret, type SealSubject } from './credential-secret.ts';
import type { Vault } from './keys/vault.ts';
import { isSame, isSignedWith, type SignedRequest } from './webhook-signatures.ts';

/** The proof of a sender without an API key. */
export type WebhookProof =
  | { readonly kind: 'signature'; readonly request: SignedRequest }
  /** A user name and a password, separated by a colon. */
  | { readonly kind: 'basic'; readonly pair: string }
  /** The token that a service sends to verify the address of a webhook. */
  | { readonly kind: 'token'; readonly token: string };

/** Checks whether senders have the secret of a credential. */
export interface WebhookProofs {
  /** Null for no credential: the result is false, and takes about the same time. */
  isGenuine(credentialId: number | null, proof: WebhookProof): Promise<boolean>;
}

interface Ports {
  readonly store: {
    readonly credentials: {
      sealedById(id: number): Promise<(SealSubject & { readonly sealed: string }) | null>;
    };
  };
  readonly vault: Vault;
}

/** No credential has this id. */
const noCredential = 0;

/** The type of the credential that each kind of proof is checked with. */
const typeOf = { signature: 'git', basic: 'tool', token: 'git' } as const satisfies Record<
  WebhookProof['kind'],
  CredentialType
>;

export function createWebhookProofs({ store, vault }: Ports): WebhookProofs {
  // Compared with if there is no secret, so that the check takes the same time.
  const decoy = randomBytes(32).toString('hex');
  return {
    async isGenuine(credentialId, proof) {
      const stored = await store.credentials.sealedById(credentialId ?? noCredential);
      const secret = stored?.credentialType === typeOf[proof.kind] ? secretOf(vault, stored, proof.kind) : '';
      const fits = isShown(secret === '' ? decoy : secret, proof);
      return fits && secret !== '';
    },
  };
}

function isShown(secret: string, proof: WebhookProof): boolean {
  switch (proof.kind) {
    case 'signature':
      return isSignedWith(secret, proof.request);
    case 'basic':
      return isSame(proof.pair, secret);
    case 'token':
      return isSame(proof.token, secret);
  }
}

/** The text that a proof is compared with; empty if the credential has none. */
function secretOf(vault: Vault, stored: SealSubject & { readonly sealed: string }, kind: WebhookProof['kind']): string {
  try {
    const { detail } = openSecret(vault, stored);
    // The schema of its type validated the detail before it was encrypted.
    if (kind !== 'basic') return (detail as unknown as GitDetail).webhook_secret;
    const pair = readBasicPair(detail.config);
    return pair === null ? '' : `${pair.username}:${pair.password}`;
  } catch (error) {
    // A sender does not learn that a secret is unreadable; users of the credential see the error.
    if (error instanceof Problem) return '';
    throw error;
  }
}
