import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type GitDetail, type Instant, Problem, type SignatureScheme } from '@millrace/core';
import { openSecret, type SealSubject } from './credential-secret.ts';
import type { Vault } from './keys/vault.ts';

/** A request whose sender says that it knows the secret. */
export interface SignedRequest {
  readonly scheme: SignatureScheme;
  /** The value of the scheme's header; null when the request lacks it. */
  readonly signature: string | null;
  /** What tells this delivery from others; `hmac_sha256` signs it, too. */
  readonly idempotencyKey: string | null;
  /** Every byte as it came. */
  readonly body: Buffer;
  readonly at: Instant;
}

/** Tells whether requests come from who knows a credential's `webhook_secret`. */
export interface WebhookSignatures {
  /** Null for no credential: never genuine, and found out in about the same time. */
  isGenuine(credentialId: number | null, request: SignedRequest): Promise<boolean>;
}

interface Ports {
  readonly store: {
    readonly credentials: {
      sealedById(id: number): Promise<(SealSubject & { readonly sealed: string }) | null>;
    };
  };
  readonly vault: Vault;
}

/** Clocks differ, and deliveries wait in queues; what was overheard is of no use after it. */
const toleranceMs = 5 * 60_000;
/** No credential has this id. */
const noCredential = 0;

export function createWebhookSignatures({ store, vault }: Ports): WebhookSignatures {
  // What is compared with where there is no secret, so that its absence takes as long.
  const decoy = randomBytes(32).toString('hex');
  return {
    async isGenuine(credentialId, request) {
      const stored = await store.credentials.sealedById(credentialId ?? noCredential);
      const secret = stored?.credentialType === 'git' ? webhookSecret(vault, stored) : '';
      const fits = verify(secret === '' ? decoy : secret, request);
      return fits && secret !== '';
    },
  };
}

function webhookSecret(vault: Vault, stored: SealSubject & { readonly sealed: string }): string {
  try {
    // What is sealed was checked by the schema of its type.
    return (openSecret(vault, stored).detail as unknown as GitDetail).webhook_secret;
  } catch (error) {
    // A stranger is not told that something is broken here; who looks at the credential is.
    if (error instanceof Problem) return '';
    throw error;
  }
}

function verify(secret: string, request: SignedRequest): boolean {
  const given = request.signature ?? '';
  switch (request.scheme) {
    case 'git_host_a':
      return isSame(given, `sha256=${hmac(secret, request.body)}`);
    case 'git_host_b':
      return isSame(given, secret);
    case 'hmac_sha256':
      return isSignedNow(secret, given, request);
  }
}

/** `t=<seconds>,v1=<hex>`: the HMAC of the time, a line end, the key of the delivery, a line end, and the body. */
function isSignedNow(secret: string, given: string, { idempotencyKey, body, at }: SignedRequest): boolean {
  const [, seconds = '', digest = ''] = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/.exec(given) ?? [];
  // Neither part can hold a line end, so no two requests have the same text.
  const expected = hmac(secret, `${seconds}\n${idempotencyKey ?? ''}\n`, body);
  const isTimely = Math.abs(at - Number(seconds) * 1000) <= toleranceMs;
  return isSame(digest, expected) && isTimely;
}

function hmac(secret: string, ...parts: readonly (string | Buffer)[]): string {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
}

/** Takes as long for any two texts: not even their lengths show. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
