import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant, SignatureScheme } from '@millrace/core';

/** A request whose sender claims to have the secret. */
export interface SignedRequest {
  readonly scheme: SignatureScheme;
  /** The value of the scheme's header; empty if the request has another form of the scheme. */
  readonly signature: string;
  /** The headers of Standard Webhooks, which `git_host_b` sends as well; null without them. */
  readonly standard: StandardSignature | null;
  /** The value of the header with the time, for the schemes that have one; null if the request lacks it. */
  readonly timestamp: string | null;
  /** The key of the delivery; `hmac_sha256` signs it, too. */
  readonly idempotencyKey: string | null;
  /** Every byte as received. */
  readonly body: Buffer;
  readonly at: Instant;
}

/** The three headers of <https://www.standardwebhooks.com>. */
export interface StandardSignature {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** Clocks differ, and deliveries wait in queues. A recorded request is useless after this time. */
const toleranceMs = 5 * 60_000;
/** A sender that rotates its secret sends two signatures. More signatures than this are ignored. */
const maxSignatures = 10;

/** Whether a request has a current signature made with a secret, according to its scheme. */
export function isSignedWith(secret: string, request: SignedRequest): boolean {
  const { scheme, signature, timestamp, body, at } = request;
  switch (scheme) {
    case 'git_host_a':
      return isSame(signature, `sha256=${hmac(secret, body)}`);
    case 'git_host_b': {
      const isToken = isSame(signature, secret);
      return isSignedByStandard(secret, request) || isToken;
    }
    case 'hmac_sha256':
      return isSignedNow(secret, request);
    case 'stripe':
      return isSignedByStripe(secret, request);
    case 'slack': {
      const isGenuine = isSame(signature, `v0=${hmac(secret, `v0:${timestamp ?? ''}:`, body)}`);
      return isTimely(timestamp ?? '', at) && isGenuine;
    }
  }
}

/** `t=<seconds>,v1=<hex>`: the HMAC of the time, a newline, the key of the delivery, a newline, and the body. */
function isSignedNow(secret: string, { signature, idempotencyKey, body, at }: SignedRequest): boolean {
  const [, seconds = '', digest = ''] = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  // Neither part can contain a newline, so no two requests have the same text.
  const expected = hmac(secret, `${seconds}\n${idempotencyKey ?? ''}\n`, body);
  return isSame(digest, expected) && isTimely(seconds, at);
}

/** `t=<seconds>,v1=<hex>,v1=<hex>,…`: the HMAC of the time, a full stop and the body. One valid signature is enough. */
function isSignedByStripe(secret: string, { signature, body, at }: SignedRequest): boolean {
  const { time, digests } = stripeSignature(signature);
  const expected = hmac(secret, `${time}.`, body);
  const matches = digests.map((digest) => isSame(digest, expected));
  return matches.includes(true) && isTimely(time, at);
}

function stripeSignature(header: string): { readonly time: string; readonly digests: readonly string[] } {
  const items = header.split(',', maxSignatures + 1).map((item) => item.trim().split('=', 2));
  const valuesOf = (key: string) => items.flatMap(([name, value = '']) => (name === key ? [value] : []));
  return { time: valuesOf('t')[0] ?? '', digests: valuesOf('v1') };
}

/** `v1,<base64> v1,<base64> …`: the HMAC of the id, a full stop, the time, a full stop and the body. */
function isSignedByStandard(secret: string, { standard, body, at }: SignedRequest): boolean {
  if (standard === null) return false;
  const { id, timestamp, signature } = standard;
  const mac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const items = signature.split(' ', maxSignatures);
  const matches = items.map((item) => isSame(item, `v1,${mac}`));
  return matches.includes(true) && isTimely(timestamp, at);
}

/** Secrets of Standard Webhooks are base64 after a prefix. */
function standardKey(secret: string): Buffer {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64');
}

function isTimely(seconds: string, at: Instant): boolean {
  return /^[0-9]{1,12}$/.test(seconds) && Math.abs(at - Number(seconds) * 1000) <= toleranceMs;
}

function hmac(secret: string, ...parts: readonly (string | Buffer)[]): string {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
}

/** Takes the same time for any two texts: not even their lengths show. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
