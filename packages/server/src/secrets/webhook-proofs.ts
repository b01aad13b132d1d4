import { randomBytes } from 'node:crypto';
import { type CredentialType, type GitDetail, Problem, readBasicPair } from '@millrace/core';
import { openSecret, type SealSubject } from './credential-secret.ts';
import type { Vault } from './keys/vault.ts';
import { isSame, isSignedWith, type SignedRequest } from './webhook-signatures.ts';

/** What a sender without an API key shows instead. */
export type WebhookProof =
  | { readonly kind: 'signature'; readonly request: SignedRequest }
  /** A user name and a password, with a colon between them. */
  | { readonly kind: 'basic'; readonly pair: string }
  /** The token by which a service proves that it was told the address by the workflow's author. */
  | { readonly kind: 'token'; readonly token: string };

/** Tells whether senders know the secret of a credential. */
export interface WebhookProofs {
  /** Null for no credential: never genuine, and found out in about the same time. */
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
  // Compared with where there is no secret, so that its absence takes as long.
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

/** The text that a proof is compared with; empty where the credential has none. */
function secretOf(vault: Vault, stored: SealSubject & { readonly sealed: string }, kind: WebhookProof['kind']): string {
  try {
    const { detail } = openSecret(vault, stored);
    // What is sealed was checked by the schema of its type.
    if (kind !== 'basic') return (detail as unknown as GitDetail).webhook_secret;
    const pair = readBasicPair(detail.config);
    return pair === null ? '' : `${pair.username}:${pair.password}`;
  } catch (error) {
    // A stranger is not told that something is broken here; who looks at the credential is.
    if (error instanceof Problem) return '';
    throw error;
  }
}
